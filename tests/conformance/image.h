/* SPDX-License-Identifier: MIT
 *
 * A buffer at one address before and after exec. Writes into it show that the new image is still profiled. */
#ifndef IMAGE_H
#define IMAGE_H

#include <sys/types.h>

#define IMAGE_BUFFER ((void *)(sizeof(void *) == 4 ? 0x20000000 : 0x100000000000))

void image_map(void);

/* Turns profil on for the whole text of the program, at any load address. Ends the case unless ticks are counted. */
void image_count(void);

/* Executes this program again. The new image ends with status 0 if profil does not write into its buffer. */
void image_exec(void) __attribute__((noreturn));

/* Executes this program again. The new image ends with status 0 if pcsample does not write into its buffer. */
void image_exec_samples(void) __attribute__((noreturn));

/* Starts this program with posix_spawn, for the check of image_exec. Returns its pid. */
pid_t image_spawn(void);

#endif
