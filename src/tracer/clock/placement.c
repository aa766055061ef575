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

/* Returns a CPU without tracees, if any; otherwise HERE, the present one. */
static int free_cpu(const struct placement *placement, const struct blockers *blockers, int here)
{
    int cpu = here;
    for (int i = 0; i < placement->cpus && blockers_want(blockers, cpu); i++)
        cpu = next_cpu(placement, cpu);
    return blockers_want(blockers, cpu) ? here : cpu;
}

static int choose(struct placement *placement, const struct blockers *blockers, int here)
{
    int only = blockers_only(blockers);
    bool allowed = only >= 0 && only < CPU_SETSIZE && CPU_ISSET((size_t)only, &placement->allowed);
    int cpu = ride_choose(&placement->ride, allowed ? only : -1);
    return cpu >= 0 ? cpu : free_cpu(placement, blockers, here);
}

void placement_follow(struct placement *placement, struct blockers *blockers)
{
    cpu_set_t there;
    int here = sched_getcpu();
    if (here < 0 || here >= CPU_SETSIZE)
        return;
    int cpu = choose(placement, blockers, here);
    if (cpu == placement->own && cpu == here)
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
