/* SPDX-License-Identifier: MIT */
#include "tracer/tracee/cpu_clock.h"

#include "common/base/time.h"
#include "tracer/tracee/table.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

bool cpu_clock_find(struct process *process)
{
    return clock_getcpuclockid(process->pid, &process->cpu_clock) == 0;
}

uint64_t cpu_clock_ns(const struct process *process)
{
    return process->cpu_clock ? time_read_ns(process->cpu_clock) : 0;
}

static uint64_t ns_of(struct timeval time)
{
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_usec * 1000;
}

/* waitid(2) as in the kernel, which also returns resource usage. /proc has these times in units of 10 ms. */
bool cpu_clock_ended(const struct process *process, uint64_t *user_ns, uint64_t *system_ns)
{
    struct rusage used = {0};
    siginfo_t info = {0};
    if (syscall(SYS_waitid, P_PID, process->pid, &info, WEXITED | WNOWAIT | WNOHANG | __WALL, &used) < 0 ||
        !info.si_pid)
        return false;
    *user_ns = ns_of(used.ru_utime);
    *system_ns = ns_of(used.ru_stime);
    return true;
}
