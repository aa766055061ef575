/* SPDX-License-Identifier: MIT */
#include "tracer/tracee/cpu_clock.h"

#include "common/base/time.h"
#include "tracer/tracee/table.h"

bool cpu_clock_find(struct process *process)
{
    return clock_getcpuclockid(process->pid, &process->cpu_clock) == 0;
}

uint64_t cpu_clock_ns(const struct process *process)
{
    if (process->ended_times)
        return process->ended_times->all_ns;
    return process->cpu_clock ? time_read_ns(process->cpu_clock) : 0;
}

/* The lowest bits of a CPU clock's number choose what it counts. Most kernels count user and system time in scheduler
 * ticks. /proc and getrusage scale these to the exact CPU time and show a process without a tick as all user time, so
 * their sum over short processes is wrong. The clocks have the ticks as they are. */
void cpu_clock_read(const struct process *process, struct cpu_times *times)
{
    enum { KIND = 3, USER_AND_SYSTEM = 0, USER = 1 };
    clockid_t clock = process->cpu_clock & ~KIND;
    if (process->ended_times) {
        *times = *process->ended_times;
        return;
    }
    *times = (struct cpu_times){.all_ns = process->cpu_clock ? time_read_ns(process->cpu_clock) : 0};
    if (!times->all_ns)
        return;
    uint64_t both_ns = time_read_ns(clock | USER_AND_SYSTEM);
    times->user_ns = time_read_ns(clock | USER);
    times->system_ns = both_ns > times->user_ns ? both_ns - times->user_ns : 0;
}
