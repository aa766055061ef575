/* SPDX-License-Identifier: MIT */
#ifndef BASE_TIME_H
#define BASE_TIME_H

#include <stdint.h>
#include <time.h>

/* What CLOCK shows, in nanoseconds; 0 if it cannot be read. */
uint64_t time_read_ns(clockid_t clock);

/* Monotonic time in nanoseconds. */
uint64_t time_now_ns(void);

/* Returns the earlier of two timestamps, of which 0 means never. */
static inline uint64_t time_earlier(uint64_t one, uint64_t other)
{
    return one && (!other || one < other) ? one : other;
}

/* Returns a descriptor that can be read when NS nanoseconds, not 0, are over; or -errno. */
int time_alarm(uint64_t ns);

#endif
