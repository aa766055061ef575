/* SPDX-License-Identifier: MIT */
#include "tracer/clock/placement.h"

#include "common/base/priority.h"
#include "tracer/clock/blockers.h"

#include <string.h>

void placement_start(struct placement *placement)
{
    memset(placement, 0, sizeof *placement);
    placement->own = -1;
    priority_request(0);
    if (sched_getaffinity(0, sizeof placement->allowed, &placement->allowed) < 0)
        CPU_ZERO(&placement->allowed);
    placement->cpus = CPU_COUNT(&placement->allowed);
}

static int next_cpu(const struct placement *placement, int cpu)
{
    for (int i = 1; i <= CPU_SETSIZE; i++)
        if (CPU_ISSET((size_t)((cpu + i) % CPU_SETSIZE), &placement->allowed))
            return (cpu + i) % CPU_SETSIZE;
    return cpu;
}

void placement_follow(struct placement *placement, struct blockers *blockers)
{
    cpu_set_t there;
    int here = sched_getcpu(), cpu = here;
    if (here < 0 || here >= CPU_SETSIZE || (here == placement->own && !blockers_want(blockers, here)))
        return;
    for (int i = 0; i < placement->cpus && blockers_want(blockers, cpu); i++)
        cpu = next_cpu(placement, cpu);
    if (blockers_want(blockers, cpu))
        cpu = here;
    if (cpu == placement->own)
        return;
    CPU_ZERO(&there);
    CPU_SET((size_t)cpu, &there);
    if (sched_setaffinity(0, sizeof there, &there) < 0 && CPU_ISSET((size_t)cpu, &placement->allowed)) {
        CPU_CLR((size_t)cpu, &placement->allowed); /* the CPU has gone, or is no longer allowed */
        placement->cpus--;
    }
    placement->own = sched_getcpu();
    blockers_avoid(blockers, placement->own);
}
