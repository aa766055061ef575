/* SPDX-License-Identifier: MIT */
#include "clock/holders.h"

#include "arch/machine.h"
#include "base/array.h"
#include "base/urgent.h"
#include "base/time.h"
#include "base/wake.h"
#include "clock/holder_thread.h"
#include "tracee/procfs.h"

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

void holders_start(struct holders *holders, const struct ticker *ticker, uint64_t seed)
{
    *holders = (struct holders){.ticker = ticker, .seed = seed, .real_time = sched_getscheduler(0) == SCHED_FIFO};
}

/* Publishes the next deadline. Also releases a CPU that is blocked for the previous one. */
static void publish(struct holder *holder, uint64_t instant)
{
    uint64_t before = atomic_exchange(&holder->wanted_ns, instant);
    atomic_store(&holder->released_ns, before);
    wake_turn_next(&holder->turn);
}

/* The real-time tracees that this blocker had to exceed have gone: returns to the usual priority. */
static void come_down(struct holder *holder)
{
    if (holder->above && holder->started)
        urgent_above(atomic_load(&holder->tid), 0);
    holder->above = 0;
}

static void shut(struct holder *holder, uint64_t now_ns)
{
    holder->unavailable = true;
    holder->shut_until_ns = now_ns + SHUT_NS;
}

/* Plans the next tick. SCHEDULED: the next deadline of the schedule; 0: none. */
static void plan(struct holder *holder, uint64_t scheduled)
{
    holder->active = scheduled;
    holder->scheduled_ns = scheduled;
    if (!scheduled) {
        holder->extra_ns = 0;
        come_down(holder);
    }
    holder->next_ns = holder->extra_ns && holder->extra_ns < scheduled ? holder->extra_ns : scheduled;
    if (holder->own || holder->unavailable || !scheduled) {
        if (holder->started && atomic_load(&holder->wanted_ns))
            publish(holder, 0);
    } else if (!holder->started && !holder_start(holder)) {
        shut(holder, time_now_ns());
    } else if (atomic_load(&holder->wanted_ns) != holder->next_ns) {
        publish(holder, holder->next_ns);
    }
}

static void plan_soon(struct holder *holder, uint64_t now_ns)
{
    uint64_t period_ns = holder->schedule.period_ns;
    plan(holder, now_ns + 1 + tick_random(&holder->schedule, period_ns < SOON_NS ? period_ns : SOON_NS));
}

static struct holder *find(const struct holders *holders, int cpu)
{
    for (size_t i = 0; i < holders->count; i++)
        if (holders->items[i]->cpu == cpu)
            return holders->items[i];
    return NULL;
}

static struct holder *add(struct holders *holders, int cpu)
{
    struct holder *holder = ARRAY_RESERVE_ONE(holders) ? calloc(1, sizeof *holder) : NULL;
    if (!holder)
        return NULL;
    holder->ticker = holders->ticker;
    holder->cpu = cpu;
    holder->sched_fd = -1;
    holder->schedule.random = holders->seed += (uint64_t)cpu + 1;
    atomic_store(&holder->patience_ns, PATIENCE_NS);
    holders->items[holders->count++] = holder;
    return holder;
}

void holders_see(struct holders *holders, int cpu, int own_cpu, uint64_t period_ns, uint64_t now_ns)
{
    struct holder *holder = find(holders, cpu);
    if (cpu < 0 || cpu >= CPU_SETSIZE || (!holder && !(holder = add(holders, cpu))))
        return;
    holder->seen_ns = now_ns;
    if (holder->active)
        return;
    holder->own = cpu == own_cpu;
    tick_start(&holder->schedule, now_ns, period_ns, holder->schedule.random);
    plan_soon(holder, now_ns);
}

bool holders_outrank(const struct holders *holders, int priority)
{
    enum { HIGHEST = 99 };
    return holders->real_time && priority < HIGHEST;
}

/* Also raises the tracing thread and the tick thread: the tracee may move to their CPU while they sleep. */
void holders_rise(struct holders *holders, int cpu, int priority)
{
    struct holder *holder = find(holders, cpu);
    pid_t tid = holder && holder->started ? atomic_load(&holder->tid) : 0;
    if (holder && !holder->own && !holders_outrank(holders, priority)) {
        shut(holder, time_now_ns());
        return;
    }
    if (!holder || !holders->real_time)
        return;
    if (tid && priority > holder->above && urgent_above(tid, priority))
        holder->above = priority;
    if (priority <= holders->above)
        return;
    holders->above = priority;
    urgent_above(0, priority);
    urgent_above(atomic_load(&holders->ticker->tid), priority);
}

void holders_hurry(struct holders *holders, int cpu, uint64_t now_ns)
{
    struct holder *holder = find(holders, cpu);
    if (holder && holder->active && holder->scheduled_ns > now_ns + SOON_NS)
        plan_soon(holder, now_ns);
}

void holders_keep(struct holders *holders, uint64_t ran_ns, uint64_t since_ns, uint64_t now_ns)
{
    size_t active = 0;
    for (size_t i = 0; i < holders->count; i++)
        active += holders->items[i]->active;
    if (!ran_ns || ran_ns < since_ns / KEEP_SHARE * active)
        return;
    for (size_t i = 0; i < holders->count; i++)
        holders->items[i]->seen_ns = now_ns;
}

void holders_expire(struct holders *holders, uint64_t now_ns)
{
    for (size_t i = 0; i < holders->count; i++) {
        struct holder *holder = holders->items[i];
        uint64_t expires_ns = EXPIRES_PERIODS * holder->schedule.period_ns;
        if (holder->active && now_ns > holder->seen_ns + (expires_ns > EXPIRES_NS ? expires_ns : EXPIRES_NS))
            plan(holder, 0);
    }
}

void holders_park(struct holders *holders)
{
    if (holders->above) {
        urgent_above(0, 0);
        urgent_above(atomic_load(&holders->ticker->tid), 0);
        holders->above = 0;
    }
    for (size_t i = 0; i < holders->count; i++)
        if (holders->items[i]->active)
            plan(holders->items[i], 0);
}

bool holders_request(struct holders *holders, int cpu, uint64_t instant_ns)
{
    bool taken = false;
    for (size_t i = 0; i < holders->count; i++) {
        struct holder *holder = holders->items[i];
        uint64_t extra_ns = holder->cpu == cpu ? instant_ns : 0;
        if (!holder->active)
            continue;
        taken |= extra_ns;
        if (holder->extra_ns == extra_ns)
            continue;
        holder->extra_ns = extra_ns;
        plan(holder, holder->scheduled_ns);
    }
    return taken;
}

void holders_avoid(struct holders *holders, int own_cpu)
{
    for (size_t i = 0; i < holders->count; i++) {
        struct holder *holder = holders->items[i];
        bool own = holder->cpu == own_cpu;
        if (own == holder->own)
            continue;
        holder->own = own;
        if (holder->active)
            plan(holder, holder->scheduled_ns);
    }
}

bool holders_want(const struct holders *holders, int cpu)
{
    const struct holder *holder = find(holders, cpu);
    return holder && holder->active;
}

struct holder *holders_next(const struct holders *holders)
{
    struct holder *next = NULL;
    for (size_t i = 0; i < holders->count; i++)
        if (holders->items[i]->active && (!next || holders->items[i]->next_ns < next->next_ns))
            next = holders->items[i];
    return next;
}

uint64_t holders_wake_ns(const struct holders *holders, const struct holder *holder)
{
    return holder->next_ns - (holder->own || holder->unavailable ? 0 : holders->ahead_ns);
}

static uint64_t patience(const struct holder *holder)
{
    uint64_t patience_ns = PATIENCE_NS + PATIENCE_TYPICAL * holder->usual.typical_ns + LOOK_TIMES * holder->looks_ns;
    return patience_ns < MOST_PATIENCE_NS ? patience_ns : MOST_PATIENCE_NS;
}

static void learn_ahead(struct holders *holders, const struct holder *holder, int64_t early_ns)
{
    int64_t ahead_ns = (int64_t)holders->ahead_ns + (AHEAD_TARGET_NS - early_ns) / AHEAD_SHARE;
    int64_t most_ns = (int64_t)patience(holder) / 2;
    holders->ahead_ns = ahead_ns < 0 ? 0 : ahead_ns > most_ns ? (uint64_t)most_ns : (uint64_t)ahead_ns;
}

/* A CPU that is in the kernel may come much later, because the running thread cannot be displaced there. */
static bool await(struct holder *holder)
{
    uint64_t instant = holder->next_ns, now_ns = holder->awake_ns = time_now_ns();
    uint64_t spin_ns = instant + patience(holder), until_ns = spin_ns + LONG_NS;
    bool held;
    while (!(held = atomic_load(&holder->held_ns) == instant) && !atomic_load(&holder->astray) && now_ns < until_ns) {
        if (now_ns > spin_ns)
            usleep(LONG_LOOK_US);
        arch_pause();
        now_ns = time_now_ns();
    }
    return held;
}

bool holders_await(struct holders *holders, struct holder *holder, bool *late)
{
    bool held = await(holder);
    if (atomic_load(&holder->astray))
        shut(holder, holder->awake_ns);
    if (!held || atomic_load(&holder->gave_up_ns) == holder->next_ns)
        return false;
    if (!holder->usual.known)
        tick_begin(&holder->usual, atomic_load(&holder->least_late_ns));
    int64_t since_ns = (int64_t)atomic_load(&holder->since_ns);
    bool on_time = tick_on_time(&holder->usual, since_ns - (int64_t)holder->next_ns);
    *late = !on_time && !holders->real_time;
    /* Learn only if the tracing thread was ready in time: it may have served other CPUs first. */
    if (on_time && holder->awake_ns < holder->next_ns + BUSY_NS)
        learn_ahead(holders, holder, since_ns - (int64_t)holder->awake_ns);
    atomic_store(&holder->patience_ns, patience(holder));
    if (holder->sched_fd < 0)
        holder->sched_fd = procfs_open(getpid(), atomic_load(&holder->tid), "sched");
    return true;
}

uint64_t holder_held(struct holder *holder)
{
    uint64_t since_ns = atomic_load(&holder->since_ns), now_ns = time_now_ns();
    /* The time needed to find a thread, without the delay before. */
    holder->looks_ns = now_ns - (since_ns > holder->awake_ns ? since_ns : holder->awake_ns);
    return atomic_load(&holder->gave_up_ns) == holder->next_ns ? 0 : now_ns - since_ns;
}

uint64_t holder_wasted(const struct holder *holder)
{
    bool gave_up = atomic_load(&holder->gave_up_ns) == holder->next_ns;
    return gave_up ? atomic_load(&holder->patience_ns) : 0;
}

void holders_learn(struct holders *holders, uint64_t weight_ns, uint64_t period_ns)
{
    int64_t apart_ns = (int64_t)period_ns - (int64_t)(weight_ns < 2 * period_ns ? weight_ns : 2 * period_ns);
    holders->unseen_ns += apart_ns / UNSEEN_SHARE;
    if (holders->unseen_ns < 0)
        holders->unseen_ns = 0;
    if (holders->unseen_ns > MOST_UNSEEN_NS)
        holders->unseen_ns = MOST_UNSEEN_NS;
}

void holder_release(const struct holders *holders, struct holder *holder, uint64_t period_ns, bool comes, bool asked)
{
    bool is_scheduled = holder->next_ns == holder->scheduled_ns;
    uint64_t now_ns = time_now_ns(), from_ns = asked ? now_ns + holder->busy_ns : now_ns, skipped;
    uint64_t since_ns = holder->own ? holder->next_ns : atomic_load(&holder->since_ns);
    uint64_t pause_ns = comes && !holder->unavailable && from_ns > since_ns ? from_ns - since_ns : 0;
    if (asked && pause_ns)
        pause_ns += (uint64_t)holders->unseen_ns;
    uint64_t next_ns = holder->scheduled_ns + (is_scheduled ? 0 : pause_ns);
    holder->schedule.period_ns = period_ns;
    holder->unavailable = holder->unavailable && now_ns < holder->shut_until_ns;
    tick_pause(&holder->schedule, pause_ns);
    for (int times = 0; next_ns < from_ns; times++) {
        next_ns = tick_next(&holder->schedule, from_ns, &skipped);
        holder->skipped += skipped + (times > 0);
    }
    if (holder->extra_ns < from_ns)
        holder->extra_ns = 0;
    plan(holder, next_ns);
}

void holder_served(const struct holders *holders, struct holder *holder, uint64_t period_ns, uint64_t released_ns)
{
    uint64_t now_ns = time_now_ns(), took_ns = now_ns - released_ns, step_ns = holder->busy_ns / BUSY_SHARE + 100;
    if (took_ns > holder->busy_ns)
        holder->busy_ns += step_ns;
    else
        holder->busy_ns -= step_ns < holder->busy_ns ? step_ns : holder->busy_ns;
    if (holder->active && holder->next_ns <= now_ns)
        holder_release(holders, holder, period_ns, false, false);
}
