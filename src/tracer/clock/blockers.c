/* SPDX-License-Identifier: MIT */
#include "tracer/clock/blockers.h"

#include "common/arch/machine.h"
#include "common/base/array.h"
#include "common/base/priority.h"
#include "common/base/time.h"
#include "common/base/wake.h"
#include "tracer/clock/blocker_thread.h"
#include "tracer/tracee/procfs.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    SOON_NS = 1000000,
    PATIENCE_NS = 200000,       /* a CPU is blocked for no longer than this, */
    PATIENCE_TYPICAL = 4,       /* how long to wait for a blocker: this many typical wake-ups, */
    LOOK_TIMES = 2,             /* and this many times the time to find the displaced thread; */
    MOST_PATIENCE_NS = 2000000, /* in all no longer than this */
    LONG_NS = 4000000,          /* how long the tracing thread waits in steps for a late blocker */
    LONG_LOOK_US = 100,
    AHEAD_TARGET_NS = 3000, /* the tracing thread wakes this long before the CPU is blocked */
    AHEAD_SHARE = 8,        /* share of the error that each correction makes up for */
    BUSY_NS = 60000,        /* a tracing thread that is later than this was busy, not asleep */
    BUSY_SHARE = 16,        /* part of the median of stop times by which one more stop moves it */
    EXPIRES_NS = 200000000, /* a CPU without tracees for this long gets no more ticks */
    KEEP_SHARE = 16,        /* the part of a CPU's time (1/16) that is worth ticks */
    EXPIRES_PERIODS = 4,    /* or this many periods */
    SHUT_NS = 1000000000,   /* after this long, retry a CPU that could not be taken */
    UNSEEN_SHARE = 1024,    /* part of the error in one sample's weight that each correction makes up for */
    MOST_UNSEEN_NS = 40000,
};

void blockers_start(struct blockers *blockers, struct ticker *ticker, uint64_t seed)
{
    *blockers = (struct blockers){.ticker = ticker, .seed = seed, .real_time = sched_getscheduler(0) == SCHED_FIFO};
}

/* Publishes the next deadline. Also releases a CPU that is blocked for the previous one. */
static void publish(struct blocker *blocker, uint64_t instant)
{
    uint64_t before = atomic_exchange(&blocker->wanted_ns, instant);
    atomic_store(&blocker->released_ns, before);
    wake_turn_next(&blocker->turn);
}

/* The real-time tracees that this blocker had to exceed have gone: returns to the usual priority. */
static void come_down(struct blocker *blocker)
{
    if (blocker->above && blocker->started)
        priority_above(atomic_load(&blocker->tid), 0);
    blocker->above = 0;
}

static void shut(struct blocker *blocker, uint64_t now_ns)
{
    blocker->unavailable = true;
    blocker->shut_until_ns = now_ns + SHUT_NS;
}

bool blocker_takes_cpu(const struct blocker *blocker)
{
    return !blocker->own && !blocker->unavailable;
}

/* Plans the next tick. SCHEDULED: the next deadline of the schedule; 0: none. */
static void plan(struct blocker *blocker, uint64_t scheduled)
{
    blocker->active = scheduled;
    blocker->scheduled_ns = scheduled;
    if (!scheduled) {
        blocker->extra_ns = 0;
        come_down(blocker);
    }
    blocker->next_ns = blocker->extra_ns && blocker->extra_ns < scheduled ? blocker->extra_ns : scheduled;
    if (!blocker_takes_cpu(blocker) || !scheduled) {
        if (blocker->started && atomic_load(&blocker->wanted_ns))
            publish(blocker, 0);
    } else if (!blocker->started && !blocker_start(blocker)) {
        shut(blocker, time_now_ns());
    } else if (atomic_load(&blocker->wanted_ns) != blocker->next_ns) {
        publish(blocker, blocker->next_ns);
    }
}

static void plan_soon(struct blocker *blocker, uint64_t now_ns)
{
    uint64_t period_ns = blocker->schedule.period_ns;
    plan(blocker, now_ns + 1 + tick_random(&blocker->schedule, period_ns < SOON_NS ? period_ns : SOON_NS));
}

static struct blocker *find(const struct blockers *blockers, int cpu)
{
    for (size_t i = 0; i < blockers->count; i++)
        if (blockers->items[i]->cpu == cpu)
            return blockers->items[i];
    return NULL;
}

static struct blocker *add_blocker(struct blockers *blockers, int cpu)
{
    struct blocker *blocker = ARRAY_RESERVE_ONE(blockers) ? calloc(1, sizeof *blocker) : NULL;
    if (!blocker)
        return NULL;
    blocker->ticker = blockers->ticker;
    blocker->cpu = cpu;
    blocker->sched_fd = -1;
    blocker->schedule.random = blockers->seed += (uint64_t)cpu + 1;
    atomic_store(&blocker->patience_ns, PATIENCE_NS);
    blockers->items[blockers->count++] = blocker;
    return blocker;
}

void blockers_see(struct blockers *blockers, int cpu, int own_cpu, uint64_t period_ns, uint64_t now_ns)
{
    struct blocker *blocker = find(blockers, cpu);
    if (cpu < 0 || cpu >= CPU_SETSIZE || (!blocker && !(blocker = add_blocker(blockers, cpu))))
        return;
    blocker->seen_ns = now_ns;
    if (blocker->active)
        return;
    blocker->own = cpu == own_cpu;
    tick_start(&blocker->schedule, now_ns, period_ns, blocker->schedule.random);
    plan_soon(blocker, now_ns);
}

bool blockers_outrank(const struct blockers *blockers, int priority)
{
    enum { HIGHEST = 99 };
    return blockers->real_time && priority < HIGHEST;
}

/* Also raises the tracing thread and its watchdog: the tracee may move to their CPU while they sleep. */
void blockers_rise(struct blockers *blockers, int cpu, int priority)
{
    struct blocker *blocker = find(blockers, cpu);
    pid_t tid = blocker && blocker->started ? atomic_load(&blocker->tid) : 0;
    if (blocker && !blocker->own && !blockers_outrank(blockers, priority)) {
        shut(blocker, time_now_ns());
        return;
    }
    if (!blocker || !blockers->real_time)
        return;
    if (tid && priority > blocker->above && priority_above(tid, priority))
        blocker->above = priority;
    if (priority <= blockers->above)
        return;
    blockers->above = priority;
    priority_above(0, priority);
    priority_above(atomic_load(&blockers->ticker->watchdog.tid), priority);
}

void blockers_hurry(struct blockers *blockers, int cpu, uint64_t now_ns)
{
    struct blocker *blocker = find(blockers, cpu);
    if (blocker && blocker->active && blocker->scheduled_ns > now_ns + SOON_NS)
        plan_soon(blocker, now_ns);
}

void blockers_keep(struct blockers *blockers, uint64_t ran_ns, uint64_t since_ns, uint64_t now_ns)
{
    size_t active = 0;
    for (size_t i = 0; i < blockers->count; i++)
        active += blockers->items[i]->active;
    if (!ran_ns || ran_ns < since_ns / KEEP_SHARE * active)
        return;
    for (size_t i = 0; i < blockers->count; i++)
        blockers->items[i]->seen_ns = now_ns;
}

void blockers_expire(struct blockers *blockers, uint64_t now_ns)
{
    for (size_t i = 0; i < blockers->count; i++) {
        struct blocker *blocker = blockers->items[i];
        uint64_t expires_ns = EXPIRES_PERIODS * blocker->schedule.period_ns;
        if (blocker->active && now_ns > blocker->seen_ns + (expires_ns > EXPIRES_NS ? expires_ns : EXPIRES_NS))
            plan(blocker, 0);
    }
}

void blockers_leave(struct blockers *blockers, int cpu)
{
    for (size_t i = 0; i < blockers->count; i++)
        if (blockers->items[i]->active && blockers->items[i]->cpu != cpu)
            plan(blockers->items[i], 0);
}

void blockers_park(struct blockers *blockers)
{
    if (blockers->above) {
        priority_above(0, 0);
        priority_above(atomic_load(&blockers->ticker->watchdog.tid), 0);
        blockers->above = 0;
    }
    for (size_t i = 0; i < blockers->count; i++)
        if (blockers->items[i]->active)
            plan(blockers->items[i], 0);
}

bool blockers_request(struct blockers *blockers, int cpu, uint64_t instant_ns)
{
    bool taken = false;
    for (size_t i = 0; i < blockers->count; i++) {
        struct blocker *blocker = blockers->items[i];
        uint64_t extra_ns = blocker->cpu == cpu ? instant_ns : 0;
        if (!blocker->active)
            continue;
        taken |= extra_ns;
        if (blocker->extra_ns == extra_ns)
            continue;
        blocker->extra_ns = extra_ns;
        plan(blocker, blocker->scheduled_ns);
    }
    return taken;
}

void blockers_avoid(struct blockers *blockers, int own_cpu)
{
    for (size_t i = 0; i < blockers->count; i++) {
        struct blocker *blocker = blockers->items[i];
        bool own = blocker->cpu == own_cpu;
        if (own == blocker->own)
            continue;
        blocker->own = own;
        if (blocker->active)
            plan(blocker, blocker->scheduled_ns);
    }
}

bool blockers_want(const struct blockers *blockers, int cpu)
{
    const struct blocker *blocker = find(blockers, cpu);
    return blocker && blocker->active;
}

int blockers_only(const struct blockers *blockers)
{
    int cpu = -1;
    for (size_t i = 0; i < blockers->count; i++) {
        const struct blocker *blocker = blockers->items[i];
        if (blocker->active && cpu >= 0)
            return -1;
        cpu = blocker->active ? blocker->cpu : cpu;
    }
    return cpu;
}

struct blocker *blockers_next(const struct blockers *blockers)
{
    struct blocker *next = NULL;
    for (size_t i = 0; i < blockers->count; i++)
        if (blockers->items[i]->active && (!next || blockers->items[i]->next_ns < next->next_ns))
            next = blockers->items[i];
    return next;
}

uint64_t blockers_wake_ns(const struct blockers *blockers, const struct blocker *blocker)
{
    return blocker->next_ns - (blocker_takes_cpu(blocker) ? blockers->ahead_ns : 0);
}

static uint64_t patience(const struct blocker *blocker)
{
    uint64_t patience_ns = PATIENCE_NS + PATIENCE_TYPICAL * blocker->usual.typical_ns + LOOK_TIMES * blocker->looks_ns;
    return patience_ns < MOST_PATIENCE_NS ? patience_ns : MOST_PATIENCE_NS;
}

static void learn_ahead(struct blockers *blockers, const struct blocker *blocker, int64_t early_ns)
{
    int64_t ahead_ns = (int64_t)blockers->ahead_ns + (AHEAD_TARGET_NS - early_ns) / AHEAD_SHARE;
    int64_t most_ns = (int64_t)patience(blocker) / 2;
    blockers->ahead_ns = ahead_ns < 0 ? 0 : ahead_ns > most_ns ? (uint64_t)most_ns : (uint64_t)ahead_ns;
}

/* A CPU that is in the kernel may come much later, because the running thread cannot be displaced there. A new blocker
 * comes for no deadline that it did not know before, and may need this CPU to start. */
static bool await(struct blocker *blocker)
{
    uint64_t instant = blocker->next_ns, now_ns = blocker->awake_ns = time_now_ns();
    uint64_t spin_ns = instant + patience(blocker), until_ns = spin_ns + LONG_NS;
    bool held;
    if (!atomic_load(&blocker->least_late_ns))
        return false;
    while (!(held = atomic_load(&blocker->held_ns) == instant) && !atomic_load(&blocker->astray) && now_ns < until_ns) {
        if (now_ns > spin_ns)
            usleep(LONG_LOOK_US);
        arch_pause();
        now_ns = time_now_ns();
    }
    return held;
}

bool blockers_await(struct blockers *blockers, struct blocker *blocker, bool *late)
{
    bool held = await(blocker);
    if (atomic_load(&blocker->astray))
        shut(blocker, blocker->awake_ns);
    if (!held || atomic_load(&blocker->gave_up_ns) == blocker->next_ns)
        return false;
    if (!blocker->usual.known)
        tick_begin(&blocker->usual, atomic_load(&blocker->least_late_ns));
    int64_t since_ns = (int64_t)atomic_load(&blocker->since_ns);
    bool on_time = tick_on_time(&blocker->usual, since_ns - (int64_t)blocker->next_ns);
    *late = !on_time && !blockers->real_time;
    /* Learn only if the tracing thread was ready in time: it may have served other CPUs first. */
    if (on_time && blocker->awake_ns < blocker->next_ns + BUSY_NS)
        learn_ahead(blockers, blocker, since_ns - (int64_t)blocker->awake_ns);
    atomic_store(&blocker->patience_ns, patience(blocker));
    if (blocker->sched_fd < 0)
        blocker->sched_fd = procfs_open(getpid(), atomic_load(&blocker->tid), "sched");
    return true;
}

uint64_t blocker_held(struct blocker *blocker)
{
    uint64_t since_ns = atomic_load(&blocker->since_ns), now_ns = time_now_ns();
    /* The time needed to find a thread, without the delay before. */
    blocker->looks_ns = now_ns - (since_ns > blocker->awake_ns ? since_ns : blocker->awake_ns);
    return atomic_load(&blocker->gave_up_ns) == blocker->next_ns ? 0 : now_ns - since_ns;
}

uint64_t blocker_wasted(const struct blocker *blocker)
{
    bool gave_up = atomic_load(&blocker->gave_up_ns) == blocker->next_ns;
    return gave_up ? atomic_load(&blocker->patience_ns) : 0;
}

void blockers_learn(struct blockers *blockers, uint64_t weight_ns, uint64_t period_ns)
{
    int64_t apart_ns = (int64_t)period_ns - (int64_t)(weight_ns < 2 * period_ns ? weight_ns : 2 * period_ns);
    blockers->unseen_ns += apart_ns / UNSEEN_SHARE;
    if (blockers->unseen_ns < 0)
        blockers->unseen_ns = 0;
    if (blockers->unseen_ns > MOST_UNSEEN_NS)
        blockers->unseen_ns = MOST_UNSEEN_NS;
}

/* Plans the first tick of the schedule from FROM_NS on. NEXT_NS: the one that has been drawn. */
static void plan_from(struct blocker *blocker, uint64_t next_ns, uint64_t from_ns)
{
    uint64_t skipped;
    for (int times = 0; next_ns < from_ns; times++) {
        next_ns = tick_next(&blocker->schedule, from_ns, &skipped);
        blocker->skipped += skipped + (times > 0);
    }
    plan(blocker, next_ns);
}

void blocker_release(const struct blockers *blockers, struct blocker *blocker, uint64_t period_ns, bool comes,
                     bool asked)
{
    bool is_scheduled = blocker->next_ns == blocker->scheduled_ns;
    uint64_t now_ns = time_now_ns(), from_ns = asked ? now_ns + blocker->busy_ns : now_ns;
    uint64_t since_ns = blocker->own ? blocker->next_ns : atomic_load(&blocker->since_ns);
    uint64_t pause_ns = comes && !blocker->unavailable && from_ns > since_ns ? from_ns - since_ns : 0;
    if (asked && pause_ns)
        pause_ns += (uint64_t)blockers->unseen_ns;
    uint64_t next_ns = blocker->scheduled_ns + (is_scheduled ? 0 : pause_ns);
    blocker->schedule.period_ns = period_ns;
    blocker->unavailable = blocker->unavailable && now_ns < blocker->shut_until_ns;
    tick_pause(&blocker->schedule, pause_ns);
    if (blocker->extra_ns < from_ns)
        blocker->extra_ns = 0;
    plan_from(blocker, next_ns, from_ns);
}

void blocker_rest(const struct blockers *blockers, struct blocker *blocker, uint64_t began_ns)
{
    uint64_t now_ns = time_now_ns(), took_ns = now_ns - began_ns, until_ns = now_ns + took_ns;
    bool is_long = blockers->real_time && blocker->own && took_ns >= blocker->schedule.period_ns / 2;
    if (!is_long || !blocker->active || blocker->scheduled_ns >= until_ns)
        return;
    blocker->skipped++;
    plan_from(blocker, blocker->scheduled_ns, until_ns);
}

void blocker_served(const struct blockers *blockers, struct blocker *blocker, uint64_t period_ns, uint64_t released_ns)
{
    uint64_t now_ns = time_now_ns(), took_ns = now_ns - released_ns, step_ns = blocker->busy_ns / BUSY_SHARE + 100;
    if (took_ns > blocker->busy_ns)
        blocker->busy_ns += step_ns;
    else
        blocker->busy_ns -= step_ns < blocker->busy_ns ? step_ns : blocker->busy_ns;
    if (blocker->active && blocker->next_ns <= now_ns)
        blocker_release(blockers, blocker, period_ns, false, false);
}
