/* SPDX-License-Identifier: MIT
 *
 * Converts a profile to requests of OTLP. The processes of one name are one resource, with a Profile for CPU time and,
 * if waiting threads were sampled, another one for wall time. Each stack has one value, in nanoseconds. */
#ifndef PUSH_OTLP_H
#define PUSH_OTLP_H

#include "profile/profile/profile.h"
#include "profile/push/message.h"
#include "profile/push/queue.h"

#include <stddef.h>

/* Receives a request: SIZE BYTES, compressed by gzip. Returns 0, or -errno, which ends the conversion. */
typedef int otlp_taker(void *of, const void *bytes, size_t size);

/* Calls TAKE with OF for each request of PROFILE with the labels of ABOUT. A request does not depend on others, and has
 * less than 4 MiB unpacked. Returns 0, -ENOMEM, or the result of TAKE. */
int otlp_write(const struct profile *profile, const struct push_about *about, otlp_taker *take, void *of);

#endif
