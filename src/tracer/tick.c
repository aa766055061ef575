/* SPDX-License-Identifier: MIT */
#include "tracer/tick.h"

#include "base/wake.h"
#include "model/judge.h"
#include "model/tick.h"
#include "tracee/procfs.h"
#include "tracee/request.h"
#include "tracer/due.h"
#include "tracer/waits.h"

#include <sched.h>
#include <time.h>

enum {
    MOST_STOPS = 64,             /* in one tick */
    WINDOW_NS = 1000000000,      /* of the overhead limit */
    WINDOW_RAN_NS = 100000000,   /* with less running time than this, what a few stops took says nothing */
};

/* How long this thread has been on its CPU since it was woken. What it reads of itself in schedstat is from its last
 * sleep; its clock is of now. */
static uint64_t own_stretch(const struct tracer *tracer)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec - tracer->own_before.ran_ns;
}

/* Where tracer and tracee share CPUs, only the threads of our own are sampled. */
static void skip_cpus(const struct tracer *tracer, int own_cpu, cpu_set_t *skipped)
{
    CPU_ZERO(skipped);
    if (!tracer->running.only_own)
        return;
    *skipped = tracer->placement.allowed;
    CPU_CLR((size_t)own_cpu, skipped);
}

static bool ask(struct tracer *tracer, struct candidate *candidate, int own_cpu, bool late)
{
    struct thread *thread = candidate->thread;
    thread->attempt = (struct attempt){
        .late = late,
        .record = tracer->recording,
        .place = candidate->cpu != own_cpu ? JUDGE_ELSEWHERE : candidate->certain ? JUDGE_DISPLACED : JUDGE_HERE,
        .asked_ns = wake_now(),
        .before = candidate->before,
    };
    thread->attempt.pending = request_interrupt(thread->tid) == 0;
    if (thread->attempt.pending)
        atomic_fetch_add(&tracer->channel->shared->counts.stops, 1);
    return thread->attempt.pending;
}

static bool still_asked(const struct tracer *tracer, pid_t tid)
{
    const struct thread *thread = table_thread(&tracer->follow.table, tid);
    return thread && thread->attempt.pending;
}

/* Waits for the stop of thread TID, which is captured and resumed on the way. Other tracees that have something to say
 * meanwhile are heard at once. If the tick thread breaks the wait, the stop is collected whenever it comes. */
static void collect(struct tracer *tracer, pid_t tid)
{
    tracer->wait_broken = 0;
    tracer->awaited = tid;
    atomic_store(&tracer->ticker.waiting, 1);
    while (still_asked(tracer, tid) && !tracer->wait_broken)
        if (!follow_wait(&tracer->follow, tid))
            follow_sweep(&tracer->follow);
    atomic_store(&tracer->ticker.waiting, 0);
    tracer->awaited = 0;
    if (still_asked(tracer, tid))
        tracer->child_news = 1; /* its stop may have come just now, and was not taken for news */
}

static void throttle(struct tracer *tracer, uint64_t now_ns)
{
    uint64_t asked = tracer->options.period_ns;
    if (!tracer->window_began_ns)
        tracer->window_began_ns = now_ns;
    if (now_ns - tracer->window_began_ns < WINDOW_NS || tracer->running.ran_ns < WINDOW_RAN_NS)
        return;
    uint64_t wanted =
        tick_throttle(tracer->period_ns, asked, tracer->window_paused_ns, tracer->running.ran_ns, tracer->options.max_overhead);
    tracer->period_ns = wanted;
    if (wanted > atomic_load(&tracer->channel->shared->counts.longest_period_ns))
        atomic_store(&tracer->channel->shared->counts.longest_period_ns, wanted);
    tracer->window_began_ns = now_ns;
    tracer->window_paused_ns = tracer->running.ran_ns = 0;
}

static void finish_tick(struct tracer *tracer, size_t count, int own_cpu, uint64_t now_ns)
{
    struct placement *placement = &tracer->placement;
    const struct running *running = &tracer->running;
    bool elsewhere = !count && running->cpus_running == 1 && running->last_cpu != own_cpu;
    throttle(tracer, now_ns);
    placement_follow(placement, &tracer->ticker, running->cpus_running, running->last_cpu, tracer->recording, now_ns);
    due_plan_look(tracer);
    uint64_t period_ns = placement_period(placement, tracer->period_ns, now_ns);
    if (!tracer->recording)
        ticker_also_served(&tracer->ticker);
    else if (elsewhere && running->only_own)
        ticker_missed(&tracer->ticker, period_ns);
    else
        ticker_served(&tracer->ticker, period_ns);
    due_sit_down(tracer);
}

void tick_serve(struct tracer *tracer, uint64_t instant_ns)
{
    struct candidate chosen[MOST_STOPS];
    pid_t asked[MOST_STOPS];
    cpu_set_t skipped;
    uint64_t now_ns = wake_now();
    int cpus = tracer->placement.cpus;
    size_t limit = cpus < MOST_STOPS ? (size_t)cpus : MOST_STOPS, waiting = 0;
    int own_cpu = sched_getcpu();

    procfs_schedstat(tracer->own_schedstat, &tracer->own_before);
    tracer->running.only_own = tracer->placement.mode == PLACEMENT_SHARED;
    tracer->running.own_ran_ns = tracer->own_before.ran_ns;
    uint64_t began_ns = wake_now() - own_stretch(tracer);
    bool late = !tick_on_time(&tracer->typical_late_ns, (int64_t)(began_ns - instant_ns));
    skip_cpus(tracer, own_cpu, &skipped);
    size_t count = running_choose(&tracer->running, now_ns, own_cpu, &skipped, chosen, limit);
    tracer->recording = ticker_scheduled(&tracer->ticker, instant_ns);
    due_found(tracer);
    for (size_t i = 0; i < count; i++)
        if ((tracer->recording || calls_owed(&tracer->calls, chosen[i].thread->process)) &&
            ask(tracer, &chosen[i], own_cpu, late && chosen[i].cpu == own_cpu))
            asked[waiting++] = chosen[i].thread->tid;
    tracer->own_ns = wake_now() - began_ns;
    /* The last one is on this CPU: it can only stop, and run again, when we sleep. Its wait comes first. A thread may
     * end meanwhile, and its struct with it: only tids are used from here on. */
    for (size_t i = waiting; i-- > 0;)
        collect(tracer, asked[i]);
    if (tracer->options.wall && tracer->recording)
        waits_look(tracer);
    finish_tick(tracer, count, own_cpu, now_ns);
}
