/* SPDX-License-Identifier: MIT
 *
 * What a thread waits for, in one line. */
#ifndef REPORT_WAITING_H
#define REPORT_WAITING_H

#include "base/buffer.h"
#include "profile/profile.h"

/* Appends the system call of SAMPLE, which is in one, the first function above it outside of libraries, and the
 * library function that this one called: "[futex] main: pthread_join". Omits parts that are unknown, or have the
 * name of the system call. */
void waiting_put(struct buffer *out, const struct profile *profile, const struct profile_sample *sample);

#endif
