/* SPDX-License-Identifier: MIT
 *
 * What a thread waits for, in a line. */
#ifndef REPORT_WAITING_H
#define REPORT_WAITING_H

#include "base/buffer.h"
#include "profile/profile.h"

/* Appends the system call that SAMPLE, which is in one, was found in, the first function above that is of no library,
 * and the function of a library that this called: "[futex] main: pthread_join". What is not known, or has the name of
 * the system call, is left out. */
void waiting_put(struct buffer *out, const struct profile *profile, const struct profile_sample *sample);

#endif
