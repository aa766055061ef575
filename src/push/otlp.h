/* SPDX-License-Identifier: MIT
 *
 * A profile as requests of OTLP. Each name of processes is a resource of its own, with one Profile for CPU time and, if
 * waiting threads were sampled, one for wall time. Values are nanoseconds, one for each stack. */
#ifndef PUSH_OTLP_H
#define PUSH_OTLP_H

#include "profile/profile.h"
#include "push/message.h"
#include "push/queue.h"

#include <stddef.h>

/* Takes a request: SIZE BYTES, compressed by gzip. Returns 0, or -errno, which ends the work. */
typedef int otlp_taker(void *of, const void *bytes, size_t size);

/* Gives the requests with PROFILE and the labels of ABOUT to TAKE with OF. Each stands for itself and has less than 4
 * MiB, unpacked. Returns 0, -ENOMEM, or what TAKE returned. */
int otlp_write(const struct profile *profile, const struct push_about *about, otlp_taker *take, void *of);

#endif
