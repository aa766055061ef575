/* SPDX-License-Identifier: MIT */
#ifndef BASE_TIME_H
#define BASE_TIME_H

#include <stdint.h>
#include <sys/resource.h>
#include <time.h>

/* Returns the time of CLOCK in nanoseconds, or 0 if it cannot be read. */
uint64_t time_read_ns(clockid_t clock);

/* Monotonic time in nanoseconds. */
uint64_t time_now_ns(void);

/* Returns the CPU time in USAGE, in nanoseconds. */
uint64_t time_of_usage(const struct rusage *usage);

/* Returns the earlier of two timestamps. 0 means never. */
static inline uint64_t time_earlier(uint64_t one, uint64_t other)
{
    return one && (!other || one < other) ? one : other;
}

/* Returns a descriptor that becomes readable after NS nanoseconds (not 0), or -errno. */
int time_alarm(uint64_t ns);

#endif
