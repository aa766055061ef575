/* SPDX-License-Identifier: MIT */
#include "tracee/cpu_clock.h"

bool cpu_clock_find(struct process *process)
{
    return clock_getcpuclockid(process->pid, &process->cpu_clock) == 0;
}

uint64_t cpu_clock_ns(const struct process *process)
{
    struct timespec now;
    if (!process->cpu_clock || clock_gettime(process->cpu_clock, &now) < 0)
        return 0;
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
