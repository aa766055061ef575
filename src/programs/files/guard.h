/* SPDX-License-Identifier: MIT
 *
 * For a process that reads a stranger's file by a library: the library opens further files by names in that file. */
#ifndef FILES_GUARD_H
#define FILES_GUARD_H

#include <stdbool.h>

/* Restricts all later opens in this process, which has one thread: they go through regular_open_here, for reading only.
 * If a sandbox forbids seccomp filters, nothing can be opened. It cannot be undone, and it takes over SIGSYS. Returns
 * 0, or -errno if a sandbox forbids both. */
int guard_begin(void);

/* Returns true if guard_begin has succeeded. */
bool guard_is_up(void);

#endif
