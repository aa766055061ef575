/* SPDX-License-Identifier: MIT
 *
 * For a process that reads a stranger's file by a library: the library opens further files by names in that file. In
 * such a process opening raises SIGSYS (see confine/calls.h). */
#ifndef FILES_GUARD_H
#define FILES_GUARD_H

#include <stdbool.h>

/* Takes over SIGSYS: files that are opened for reading are fetched instead (files/fetch.h), and names of open files are
 * those that the other process told. Returns 0 or -errno. */
int guard_prepare(void);

/* Call it when opening raises SIGSYS. */
void guard_begin(void);

/* Returns true after guard_begin. */
bool guard_is_up(void);

#endif
