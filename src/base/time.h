/* SPDX-License-Identifier: MIT */
#ifndef BASE_TIME_H
#define BASE_TIME_H

#include <stdint.h>

/* Monotonic time in nanoseconds. */
uint64_t time_now_ns(void);

#endif
