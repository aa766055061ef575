/* SPDX-License-Identifier: MIT */
#include "tracer/plant/breaker.h"

#include <string.h>
#include <time.h>

enum { INTERVAL_NS = 20000000 };

static timer_t timer;

bool breaker_have(void)
{
    static bool made;
    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = BREAKER_SIGNAL;
    made = made || timer_create(CLOCK_MONOTONIC, &event, &timer) == 0;
    return made;
}

void breaker_run(bool runs)
{
    const struct timespec interval = {0, runs ? INTERVAL_NS : 0};
    const struct itimerspec times = {interval, interval};
    if (breaker_have())
        timer_settime(timer, 0, &times, NULL);
}
