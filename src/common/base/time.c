/* SPDX-License-Identifier: MIT */
#include "common/base/time.h"

#include <errno.h>
#include <sys/timerfd.h>

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

int time_alarm(uint64_t ns)
{
    const struct itimerspec when = {.it_value = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)}};
    int alarm = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (alarm < 0)
        return -errno;
    timerfd_settime(alarm, 0, &when, NULL);
    return alarm;
}

uint64_t time_of_usage(const struct rusage *usage)
{
    return (uint64_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000000u +
           (uint64_t)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1000u;
}
