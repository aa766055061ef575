/* SPDX-License-Identifier: MIT
 *
 * For a process that reads a stranger's file by a library which opens further files by the names in it. */
#ifndef FILES_GUARD_H
#define FILES_GUARD_H

#include <stdbool.h>

/* After this call, every open of a file in this process, which has one thread, goes through regular_open_here: for
 * reading only. Without seccomp filters, which a sandbox may forbid, nothing can be opened. It cannot be undone, and
 * it takes over SIGSYS. Returns 0, or -errno if a sandbox forbids both. */
int guard_begin(void);

/* True if that was done. */
bool guard_is_up(void);

#endif
