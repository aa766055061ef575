/* SPDX-License-Identifier: MIT */
#include "clock/placement.h"

#include "base/urgent.h"

#include <stdlib.h>
#include <string.h>

enum {
    CROWDED_NS = 20000000,    /* a crowd is taken to last for so long */
    STAY_TICKS = 2,           /* ticks on one CPU in a crowd */
    SHORTEST_OWN_NS = 400000, /* shorter periods are ticked from another CPU */
};

/* For bench/: PTPROFIL_PLACEMENT=free|shared|apart overrides the choice. */
static enum placement_mode choose(int cpus)
{
    const char *forced = getenv("PTPROFIL_PLACEMENT");
    if (forced && !strcmp(forced, "free"))
        return PLACEMENT_FREE;
    if (forced && !strcmp(forced, "shared"))
        return PLACEMENT_SHARED;
    if (forced && !strcmp(forced, "apart"))
        return PLACEMENT_APART;
    return cpus > 2 ? PLACEMENT_APART : PLACEMENT_SHARED;
}

void placement_start(struct placement *placement)
{
    memset(placement, 0, sizeof *placement);
    placement->own = placement->home = -1;
    urgent_ask(0);
    if (sched_getaffinity(0, sizeof placement->allowed, &placement->allowed) < 0)
        CPU_ZERO(&placement->allowed);
    placement->cpus = CPU_COUNT(&placement->allowed);
    placement->mode = placement->cpus > 1 ? choose(placement->cpus) : PLACEMENT_FREE;
}

static void bind_to(pid_t tid, const cpu_set_t *set)
{
    if (CPU_COUNT(set))
        sched_setaffinity(tid, sizeof *set, set);
}

static int next_cpu(const struct placement *placement, int cpu)
{
    for (int i = 1; i <= CPU_SETSIZE; i++)
        if (CPU_ISSET((size_t)((cpu + i) % CPU_SETSIZE), &placement->allowed))
            return (cpu + i) % CPU_SETSIZE;
    return cpu;
}

static bool may_use(const struct placement *placement, int cpu)
{
    return cpu >= 0 && cpu < CPU_SETSIZE && CPU_ISSET((size_t)cpu, &placement->allowed);
}

static void sit_on(struct placement *placement, const struct ticker *ticker, int cpu)
{
    cpu_set_t there, others = placement->allowed;
    CPU_ZERO(&there);
    CPU_SET((size_t)cpu, &there);
    CPU_CLR((size_t)cpu, &others);
    bind_to(atomic_load(&ticker->tid), &others);
    bind_to(0, placement->mode == PLACEMENT_SHARED ? &there : &others);
    placement->own = cpu;
}

void placement_follow(struct placement *placement, struct ticker *ticker, int cpus, int cpu, bool scheduled,
                      uint64_t now_ns)
{
    bool shared = placement->mode == PLACEMENT_SHARED;
    if (cpus >= placement->cpus && shared)
        placement->crowded_until_ns = now_ns + CROWDED_NS;
    bool crowded = placement->crowded_until_ns > now_ns;
    if (crowded && scheduled && --placement->stay_ticks < 0) {
        placement->stay_ticks = STAY_TICKS;
        placement->home = next_cpu(placement, placement->home < 0 ? 0 : placement->home);
    }
    if (!crowded && cpus == 1 && placement->mode != PLACEMENT_FREE && may_use(placement, cpu))
        placement->home = cpu;
    atomic_store(&ticker->hold, shared && !crowded && cpus == 1);
    atomic_store(&ticker->remote, shared && !crowded && ticker->schedule.period_ns < SHORTEST_OWN_NS);
}

void placement_sit_down(struct placement *placement, const struct ticker *ticker, int cpu)
{
    int wanted = placement->mode == PLACEMENT_SHARED && may_use(placement, cpu) ? cpu : placement->home;
    if (wanted >= 0 && wanted != placement->own)
        sit_on(placement, ticker, wanted);
}

uint64_t placement_period(const struct placement *placement, uint64_t period_ns, uint64_t now_ns)
{
    return placement->crowded_until_ns > now_ns ? period_ns / (uint64_t)placement->cpus : period_ns;
}
