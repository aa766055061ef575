/* SPDX-License-Identifier: MIT
 *
 * For a process that reads a stranger's file by a library which opens further files by the names in it. */
#ifndef FILES_GUARD_H
#define FILES_GUARD_H

#include <stdbool.h>

/* From now on whatever opens a file in this process, which has one thread, gets it by regular_open_here, and no other:
 * for reading only. Where there are no seccomp filters, as a sandbox may forbid them, nothing is opened any more. There
 * is no way back; SIGSYS is taken. Returns 0, or -errno if a sandbox forbids that, too. */
int guard_begin(void);

/* True if that was done. */
bool guard_is_up(void);

#endif
