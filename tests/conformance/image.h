/* SPDX-License-Identifier: MIT
 *
 * A buffer that a process and what it execs to can both have at one address, and that tells whether the new image is
 * still profiled. */
#ifndef IMAGE_H
#define IMAGE_H

#include <sys/types.h>

#define IMAGE_BUFFER ((void *)(sizeof(void *) == 4 ? 0x20000000 : 0x100000000000))

/* Maps the buffer. */
void image_map(void);

/* Counts all of the program's text in the buffer with profil, wherever it was loaded, and ends the case unless that
 * works. */
void image_count(void);

/* Replaces the process by this program, which ends with status 0 if nothing was written into the buffer there. */
void image_exec(void) __attribute__((noreturn));

/* The same, for what pcsample stored in the buffer. */
void image_exec_samples(void) __attribute__((noreturn));

/* As image_exec, in a new process, by posix_spawn. Returns its pid. */
pid_t image_spawn(void);

#endif
