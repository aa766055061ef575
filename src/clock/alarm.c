/* SPDX-License-Identifier: MIT */
#include "clock/alarm.h"

#include "tracee/cpu_clock.h"

#include <string.h>

enum { FAR_SECONDS = 86400 * 365 };

static void set(struct process *process, time_t seconds, long nanoseconds)
{
    struct itimerspec when = {.it_value = {seconds, nanoseconds}};
    if (process->clock->alarmed)
        timer_settime(process->clock->alarm, 0, &when, NULL);
}

void alarm_install(struct process *process)
{
    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = ALARM_SIGNAL;
    if (!cpu_clock_find(process))
        return;
    process->clock->alarmed = timer_create(process->cpu_clock, &event, &process->clock->alarm) == 0;
    alarm_set_far(process);
}

void alarm_remove(struct process *process)
{
    if (process->clock->alarmed)
        timer_delete(process->clock->alarm);
    process->clock->alarmed = false;
}

void alarm_set_far(struct process *process)
{
    set(process, FAR_SECONDS, 0);
}

void alarm_set_near(struct process *process)
{
    set(process, 0, 1);
}
