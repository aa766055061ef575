/* SPDX-License-Identifier: MIT */
#include "common/base/priority.h"

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* sched_setattr(2), which the C library does not have. */
struct scheduler_attributes {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

enum { SLICE_NS = 100000 };

static bool has_real_time(int level)
{
    const struct sched_param wanted = {.sched_priority = sched_get_priority_min(SCHED_FIFO) + level};
    return sched_setscheduler(0, SCHED_FIFO, &wanted) == 0;
}

void priority_request(int level)
{
    struct scheduler_attributes attributes = {.size = sizeof attributes};
    if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) < 0 || attributes.policy != SCHED_OTHER)
        return;
    if (attributes.nice <= 0 && (has_real_time(level) || has_real_time(0)))
        return;
    attributes.size = sizeof attributes;
    attributes.runtime = SLICE_NS;
    syscall(SYS_sched_setattr, 0, &attributes, 0);
}

int priority_above(int tid, int priority)
{
    int most = sched_get_priority_max(SCHED_FIFO);
    const struct sched_param wanted = {.sched_priority = priority < most ? priority + 1 : most};
    return sched_setscheduler(tid, SCHED_FIFO, &wanted) == 0 ? wanted.sched_priority : 0;
}
