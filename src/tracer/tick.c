/* SPDX-License-Identifier: MIT */
#include "tracer/tick.h"

#include "base/time.h"
#include "model/judge.h"
#include "model/tick.h"
#include "tracee/procfs.h"
#include "tracee/request.h"
#include "tracer/dispatch.h"
#include "tracer/due.h"
#include "tracer/waits.h"

#include <signal.h>

enum {
    AWAKE_NS = 100000,         /* that a stop is waited for without sleep */
    LATE_PERIODS = 16,         /* between two looks around while no tick is served in time */
    WINDOW_NS = 1000000000,    /* of the overhead limit */
    WINDOW_RAN_NS = 100000000, /* with less running time than this, what a few stops took says nothing */
};

/* How long this thread has been on its CPU since it was woken. What it reads of itself in schedstat is from its last
 * sleep; its clock is of now. */
static uint64_t own_stretch(const struct tracer *tracer)
{
    return time_read_ns(CLOCK_THREAD_CPUTIME_ID) - tracer->own_before.ran_ns;
}

static bool ask(struct tracer *tracer, const struct candidate *candidate, enum judge_place place)
{
    struct thread *thread = candidate->thread;
    thread->own->attempt = (struct attempt){
        .record = tracer->recording,
        .place = place,
        .asked_ns = time_now_ns(),
        .before = candidate->before,
    };
    thread->asked = request_interrupt(thread->tid) == 0;
    if (thread->asked)
        atomic_fetch_add(&tracer->channel->shared->counts.stops, 1);
    return thread->asked;
}

static bool still_asked(const struct tracer *tracer, pid_t tid)
{
    const struct thread *thread = table_thread(&tracer->follow.table, tid);
    return thread && thread->asked;
}

/* A stop on another CPU takes less time than to sleep until it. Its signal is not let in: to have this thread hear it
 * would hold the tracee up on its way to the stop, and what comes late for a tracee is its pause. */
static void collect_awake(struct tracer *tracer, pid_t tid)
{
    const struct timespec at_once = {0, 0};
    uint64_t until_ns = time_now_ns() + AWAKE_NS;
    sigset_t news;
    siginfo_t info;
    sigemptyset(&news);
    sigaddset(&news, SIGCHLD);
    sigprocmask(SIG_BLOCK, &news, NULL);
    while (tracer->awaited && !tracer->wait_broken && time_now_ns() < until_ns)
        dispatch_heard(tracer, tid, false);
    if (sigtimedwait(&news, &info, &at_once) == SIGCHLD && info.si_pid != tid)
        tracer->child_news = 1;
    sigprocmask(SIG_UNBLOCK, &news, NULL);
}

/* Waits for the stop of thread TID, APART from this one's CPU or not, which is captured and resumed on the way. Other
 * tracees that have something to say meanwhile are heard soon. If the tick thread breaks the wait, the stop is
 * collected whenever it comes. */
static void collect(struct tracer *tracer, pid_t tid, bool apart)
{
    tracer->wait_broken = 0;
    tracer->awaited = tid;
    atomic_store(&tracer->ticker.waiting, 1);
    if (apart)
        collect_awake(tracer, tid);
    while (tracer->awaited && !tracer->wait_broken)
        if (!dispatch_heard(tracer, tid, true)) {
            dispatch_all(tracer);
            tracer->awaited = still_asked(tracer, tid) ? tid : 0; /* an exec may have taken its number */
        }
    atomic_store(&tracer->ticker.waiting, 0);
    if (!tracer->awaited)
        return;
    tracer->awaited = 0;
    tracer->missed.count[MISSED_STOP]++;
    tracer->child_news = 1; /* its stop may have come just now, and was not taken for news */
}

static void throttle(struct tracer *tracer, uint64_t now_ns)
{
    uint64_t asked = tracer->options.period_ns;
    if (!tracer->window_began_ns)
        tracer->window_began_ns = now_ns;
    if (now_ns - tracer->window_began_ns < WINDOW_NS || tracer->picker.ran_ns < WINDOW_RAN_NS)
        return;
    uint64_t wanted = tick_throttle(tracer->period_ns, asked, tracer->window_paused_ns, tracer->picker.ran_ns,
                                    tracer->options.max_overhead);
    tracer->period_ns = wanted;
    if (wanted > atomic_load(&tracer->channel->shared->counts.longest_period_ns))
        atomic_store(&tracer->channel->shared->counts.longest_period_ns, wanted);
    tracer->window_began_ns = now_ns;
    tracer->window_paused_ns = tracer->picker.ran_ns = 0;
}

/* The calling thread was woken for INSTANT_NS. *BEGAN_NS: the monotonic time when it took its CPU; *LATE: others were
 * let run first. False if it had the CPU before, for something else: whom it took that from was not met at a random
 * instant. */
static bool begin_own(struct tracer *tracer, uint64_t instant_ns, uint64_t *began_ns, bool *late)
{
    procfs_schedstat(tracer->own_schedstat, &tracer->own_before);
    tracer->picker.own_ran_ns = tracer->own_before.ran_ns;
    *began_ns = time_now_ns() - own_stretch(tracer);
    bool on_time = tick_on_time(&tracer->usual_late, (int64_t)(*began_ns - instant_ns));
    *late = !on_time && !tracer->holders.real_time;
    return on_time || *began_ns > instant_ns;
}

/* Looks where tracees run: there the ticks shall be. With MISSED, this one found nobody where it looked; a thread that
 * has run for longer than its samples tell does not have to wait for a whole period. */
static void look_around(struct tracer *tracer, uint64_t now_ns, bool missed)
{
    struct picker *picker = &tracer->picker;
    uint64_t period_ns = tracer->period_ns;
    tracer->looked_ns = now_ns;
    picker_look(picker, now_ns);
    due_found(tracer);
    for (size_t i = 0; i < picker->count; i++) {
        const struct thread_account *account = &picker->items[i].thread->clock->account;
        int cpu = picker->items[i].cpu, real_time = picker->items[i].thread->clock->real_time;
        tracer->missed.count[MISSED_ELSEWHERE] += !holders_want(&tracer->holders, cpu);
        holders_see(&tracer->holders, cpu, tracer->placement.own, period_ns, now_ns);
        if (real_time)
            holders_rise(&tracer->holders, cpu, real_time);
        if (missed && account->seen.ran_ns - account->billed_ns >= 2 * period_ns)
            holders_hurry(&tracer->holders, cpu, now_ns);
    }
    holders_spare(&tracer->holders, now_ns);
}

static enum judge_place place_of(const struct holder *holder, const struct candidate *candidate)
{
    if (holder->shuts)
        return JUDGE_ELSEWHERE;
    if (holder->own)
        return candidate->certain ? JUDGE_DISPLACED : JUDGE_HERE;
    return candidate->certain ? JUDGE_TAKEN : JUDGE_HELD;
}

/* The thread that HOLDER took the CPU from, or that we did ourselves at BEGAN_NS, is asked to stop. */
static bool ask_held(struct tracer *tracer, struct holder *holder, struct candidate *chosen, uint64_t began_ns,
                     bool late)
{
    struct thread *thread = chosen->thread;
    bool asked = ask(tracer, chosen, place_of(holder, chosen));
    bool held = !holder->own && !holder->shuts;
    thread->own->attempt.own_ns = held ? holder_held(holder) : time_now_ns() - began_ns;
    thread->own->attempt.late = late;
    thread->own->attempt.spoilt = held && !thread->own->attempt.own_ns;
    return asked;
}

/* Chooses and asks the thread that was displaced on HOLDER's CPU, if any, for which *FOUND is set. Returns its tid, or
 * 0 if none was asked. */
static pid_t ask_displaced(struct tracer *tracer, struct holder *holder, uint64_t began_ns, bool late, bool *found)
{
    struct candidate chosen;
    uint64_t now_ns = time_now_ns();
    *found = picker_choose(&tracer->picker, holder, &chosen);
    if (*found)
        holder->seen_ns = now_ns;
    if (!*found || (!tracer->recording && !calls_owed(&tracer->calls, chosen.thread->process)) ||
        !ask_held(tracer, holder, &chosen, began_ns, late))
        return 0;
    return chosen.thread->tid;
}

/* True if the last look found tracees that wanted CPU. */
static bool is_wanted(const struct tracer *tracer, int cpu)
{
    for (size_t i = 0; i < tracer->picker.count; i++)
        if (tracer->picker.items[i].cpu == cpu)
            return true;
    return false;
}

/* A tick waited for a stop for STOPPING_NS, which its schedule does not count; others may have run there meanwhile.
 * What else was skipped came too late. */
static void count_skipped(struct tracer *tracer, struct holder *holder, uint64_t stopping_ns)
{
    tracer->missed.count[MISSED_STOP] += stopping_ns / tracer->period_ns;
    tracer->missed.count[MISSED_LATE] += holder->skipped;
    holder->skipped = 0;
}

/* LOOKED_NS after the last look around, and after a tick that COMES, ALSO for a call or not, and FOUND a thread. */
static bool is_look_wanted(const struct tracer *tracer, bool comes, bool also, bool found, uint64_t looked_ns)
{
    uint64_t period_ns = tracer->period_ns;
    if (!comes)
        return looked_ns >= LATE_PERIODS * period_ns; /* who comes late for having too much to do has not more to do */
    if (also)
        return true; /* a call's tick is to meet any of its process's threads */
    /* A thread that is the only one is nowhere else. */
    return looked_ns >= (found ? period_ns : period_ns / 4) && (!found || tracer->follow.table.count > 1);
}

static void serve_holder(struct tracer *tracer, struct holder *holder, uint64_t now_ns)
{
    uint64_t began_ns = now_ns, period_ns = tracer->period_ns;
    bool late = false, comes = true, also = holder->next_ns != holder->scheduled_ns;
    bool idle = tracer->off && !also, found = idle; /* nobody is looked for */
    pid_t asked = 0;

    tracer->recording = !tracer->off && !also;
    if (holder->own)
        comes = begin_own(tracer, holder->next_ns, &began_ns, &late);
    else if (!holder->shuts)
        comes = holders_await(&tracer->holders, holder, &late);
    if (!comes)
        tracer->missed.count[MISSED_LATE]++;
    else if (!idle)
        asked = ask_displaced(tracer, holder, began_ns, late, &found);
    bool untold = !found && is_wanted(tracer, holder->cpu);
    uint64_t released_ns = time_now_ns();
    tracer->window_paused_ns += comes ? 0 : holder_wasted(holder);
    holder_release(&tracer->holders, holder, period_ns, comes, asked);
    if (asked)
        collect(tracer, asked, !holder->own);
    uint64_t stopping_ns = time_now_ns() - released_ns;
    holder_served(&tracer->holders, holder, period_ns, released_ns);
    count_skipped(tracer, holder, stopping_ns);
    if (is_look_wanted(tracer, comes, also, found, now_ns - tracer->looked_ns))
        look_around(tracer, time_now_ns(), comes && !found);
    tracer->missed.count[MISSED_UNTOLD] += comes && untold && tracer->recording;
}

/* Waiting threads are looked at by instants of their own, however many CPUs have ticks. */
static void look_at_waits(struct tracer *tracer, uint64_t now_ns)
{
    uint64_t skipped;
    if (!tracer->options.wall || tracer->off || now_ns < tracer->waits_due_ns)
        return;
    if (tracer->waits_due_ns)
        waits_look(tracer);
    if (tracer->waits.period_ns != tracer->period_ns)
        tick_start(&tracer->waits, now_ns, tracer->period_ns, now_ns);
    tracer->waits_due_ns = tick_next(&tracer->waits, time_now_ns(), &skipped);
}

void tick_serve(struct tracer *tracer)
{
    uint64_t now_ns = time_now_ns();
    struct holder *holder = holders_next(&tracer->holders);
    bool scouts = !holder && now_ns >= tracer->ticker.own_ns;
    bool astray = tracer->calls_astray_ns && now_ns >= tracer->calls_astray_ns;
    if (scouts || astray)
        look_around(tracer, now_ns, true);
    if (astray)
        tracer->calls_astray_ns = 0;
    if (scouts)
        ticker_served(&tracer->ticker, tracer->period_ns);
    if (holder && now_ns >= holders_wake_ns(&tracer->holders, holder))
        serve_holder(tracer, holder, now_ns);
    look_at_waits(tracer, now_ns);
    throttle(tracer, now_ns);
    placement_follow(&tracer->placement, &tracer->ticker, &tracer->holders);
}

static void sooner(uint64_t *instant_ns, uint64_t other_ns)
{
    if (other_ns && other_ns < *instant_ns)
        *instant_ns = other_ns;
}

void tick_plan(struct tracer *tracer, bool wanted)
{
    const struct holder *holder;
    ticker_run(&tracer->ticker, wanted);
    if (!wanted) {
        holders_park(&tracer->holders);
        return;
    }
    due_plan_look(tracer);
    holder = holders_next(&tracer->holders);
    uint64_t next_ns = holder ? holders_wake_ns(&tracer->holders, holder) : tracer->ticker.own_ns;
    sooner(&next_ns, tracer->calls_astray_ns);
    if (tracer->options.wall)
        sooner(&next_ns, tracer->waits_due_ns);
    ticker_plan(&tracer->ticker, next_ns);
}
