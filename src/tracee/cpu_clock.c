/* SPDX-License-Identifier: MIT */
#include "tracee/cpu_clock.h"

#include "base/time.h"

bool cpu_clock_find(struct process *process)
{
    return clock_getcpuclockid(process->pid, &process->cpu_clock) == 0;
}

uint64_t cpu_clock_ns(const struct process *process)
{
    return process->cpu_clock ? time_read_ns(process->cpu_clock) : 0;
}
