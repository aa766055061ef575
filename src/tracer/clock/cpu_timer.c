/* SPDX-License-Identifier: MIT */
#include "tracer/clock/cpu_timer.h"

#include "tracer/clock/state.h"
#include "tracer/tracee/cpu_clock.h"
#include "tracer/tracee/table.h"

#include <string.h>

enum { FAR_SECONDS = 86400 * 365 };

static void set(struct process *process, time_t seconds, long nanoseconds)
{
    struct itimerspec when = {.it_value = {seconds, nanoseconds}};
    if (process->clock->has_timer)
        timer_settime(process->clock->timer, 0, &when, NULL);
}

void cpu_timer_install(struct process *process)
{
    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = CPU_TIMER_SIGNAL;
    if (!cpu_clock_find(process))
        return;
    process->clock->has_timer = timer_create(process->cpu_clock, &event, &process->clock->timer) == 0;
    cpu_timer_set_far(process);
}

void cpu_timer_remove(struct process *process)
{
    if (process->clock->has_timer)
        timer_delete(process->clock->timer);
    process->clock->has_timer = false;
}

void cpu_timer_set_far(struct process *process)
{
    set(process, FAR_SECONDS, 0);
}

void cpu_timer_set_near(struct process *process)
{
    set(process, 0, 1);
}
