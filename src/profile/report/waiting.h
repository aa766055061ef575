/* SPDX-License-Identifier: MIT
 *
 * Describes in one line what a thread waits for. */
#ifndef REPORT_WAITING_H
#define REPORT_WAITING_H

#include "common/base/buffer.h"
#include "profile/profile/profile.h"

/* Appends the system call of SAMPLE, the first function above it outside of libraries, and the library function that
 * this function called: "[futex] main: pthread_join". SAMPLE is in a system call. Omits parts that are unknown, or that
 * have the name of the system call. */
void waiting_put(struct buffer *out, const struct profile *profile, const struct profile_sample *sample);

#endif
