/* SPDX-License-Identifier: MIT */
#include "clock/alarm.h"

#include "tracee/cpu_clock.h"

#include <string.h>

enum { FAR_SECONDS = 86400 * 365 };

static void set(struct process *process, time_t seconds, long nanoseconds)
{
    struct itimerspec when = {.it_value = {seconds, nanoseconds}};
    if (process->alarmed)
        timer_settime(process->alarm, 0, &when, NULL);
}

void alarm_install(struct process *process)
{
    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = ALARM_SIGNAL;
    if (!cpu_clock_find(process))
        return;
    process->alarmed = timer_create(process->clock, &event, &process->alarm) == 0;
    alarm_set_far(process);
}

void alarm_remove(struct process *process)
{
    if (process->alarmed)
        timer_delete(process->alarm);
    process->alarmed = false;
}

void alarm_set_far(struct process *process)
{
    set(process, FAR_SECONDS, 0);
}

void alarm_set_near(struct process *process)
{
    set(process, 0, 1);
}
