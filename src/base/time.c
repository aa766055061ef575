/* SPDX-License-Identifier: MIT */
#include "base/time.h"

uint64_t time_read_ns(clockid_t clock)
{
    struct timespec now;
    if (clock_gettime(clock, &now) < 0)
        return 0;
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t time_now_ns(void)
{
    return time_read_ns(CLOCK_MONOTONIC);
}
