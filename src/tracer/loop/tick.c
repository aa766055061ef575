/* SPDX-License-Identifier: MIT */
#include "tracer/loop/tick.h"

#include "common/base/time.h"
#include "common/model/tick.h"
#include "common/wire/channel.h"
#include "common/wire/shared.h"
#include "tracer/calls/calls.h"
#include "tracer/clock/clock.h"
#include "tracer/follow/follow.h"
#include "tracer/loop/ahead.h"
#include "tracer/loop/dispatch.h"
#include "tracer/loop/due.h"
#include "tracer/loop/pace.h"
#include "tracer/loop/state.h"
#include "tracer/loop/tracer.h"
#include "tracer/loop/waits.h"
#include "tracer/tracee/request.h"
#include "tracer/tracee/table.h"

#include <errno.h>
#include <signal.h>

enum {
    AWAKE_NS = 100000,         /* longest wait for a stop without sleeping, */
    LONGEST_WAIT_NS = 1000000, /* and in all, for a thread on another CPU */
    LONGEST_HERE_NS = 5000000, /* the same on this CPU: later than the scheduler's tick, so that the wait need not set
                                * the CPU's timer, which takes 10 us in a virtual machine */
    WINDOW_NS = 1000000000,    /* of the overhead limit */
    WINDOW_RAN_NS = 100000000, /* with less CPU time, the cost of a few stops proves nothing */
};

/* Asks the thread that TICK found to stop, if that is wanted. Returns its tid, or 0 if it was not asked. */
static pid_t ask_to_stop(struct tracer *tracer, const struct clock_tick *tick)
{
    struct thread *thread = tick->chosen.thread;
    bool record = tick->scheduled && !tracer->off;
    if (thread && thread->asked) {
        thread->own->attempt.again += record && tick->chosen.certain && !tick->late;
        return 0;
    }
    if (!thread || (!record && !calls_owed(&tracer->calls, thread->process)))
        return 0;
    thread->own->attempt = (struct attempt){
        .record = record,
        .late = tick->late,
        .place = tick->place,
        .asked_ns = time_now_ns(),
        .late_ns = tick->late_ns,
        .before = tick->chosen.before,
        .unexplained_ns = tick->chosen.unexplained_ns,
    };
    thread->asked = request_interrupt(thread->tid) == 0;
    if (!thread->asked)
        return 0;
    atomic_fetch_add(&tracer->channel->shared->counts.stops, 1);
    return thread->tid;
}

static bool still_asked(const struct tracer *tracer, pid_t tid)
{
    const struct thread *thread = table_thread(&tracer->follow.table, tid);
    return thread && thread->asked;
}

/* Sleeps until a tracee has an event, or until UNTIL_NS. Returns false if the wait for thread TID is over. */
static bool sleep_for_stop(struct tracer *tracer, pid_t tid, const sigset_t *news, uint64_t until_ns)
{
    siginfo_t info;
    uint64_t now_ns = time_now_ns();
    const struct timespec left = {0, now_ns < until_ns ? (long)(until_ns - now_ns) : 0};
    int sig = sigtimedwait(news, &info, &left);
    if (sig == TICKER_BREAK_SIGNAL || (sig < 0 && errno == EAGAIN))
        return false;
    if (sig == SIGCHLD && info.si_pid == tid && dispatch_heard(tracer, tid))
        return tracer->awaited;
    if (sig == SIGCHLD)
        news_hint(&tracer->news, info.si_pid);
    news_hear_beside(tracer, tid);
    return tracer->awaited && still_asked(tracer, tid); /* an exec may have taken its number */
}

/* APART: waits without sleeping at first, because a stop on another CPU takes less time than falling asleep and waking
 * up. Signals are blocked, because sending one to this thread would delay the tracee on its way to the stop, and delays
 * count as its pause. */
static void await_stop(struct tracer *tracer, pid_t tid, bool apart)
{
    const struct timespec at_once = {0, 0};
    const _Atomic bool *broken = &tracer->clock.ticker.broken;
    uint64_t now_ns = time_now_ns(), awake_ns = now_ns + (apart ? AWAKE_NS : 0),
             until_ns = now_ns + (apart ? LONGEST_WAIT_NS : LONGEST_HERE_NS);
    sigset_t news;
    siginfo_t info;
    sigemptyset(&news);
    sigaddset(&news, SIGCHLD);
    sigaddset(&news, TICKER_BREAK_SIGNAL);
    sigprocmask(SIG_BLOCK, &news, NULL);
    if (apart)
        ahead_look(tracer, table_thread(&tracer->follow.table, tid));
    do
        dispatch_heard(tracer, tid);
    while (tracer->awaited && !atomic_load(broken) && time_now_ns() < awake_ns);
    ahead_end(tracer);
    while (tracer->awaited && !atomic_load(broken) && sleep_for_stop(tracer, tid, &news, until_ns))
        ;
    if (apart && sigtimedwait(&news, &info, &at_once) == SIGCHLD && info.si_pid != tid)
        news_hint(&tracer->news, info.si_pid);
    sigprocmask(SIG_UNBLOCK, &news, NULL);
}

/* Waits for the stop of thread TID, which is captured and resumed during the wait. APART: TID is on another CPU than
 * this thread. Other tracees with pending events are handled soon. If the wait lasts too long, or another CPU's tick
 * interrupts it, the stop is handled when it comes. */
static void collect(struct tracer *tracer, pid_t tid, bool apart)
{
    tracer->awaited = tid;
    ticker_wait(&tracer->clock.ticker, true);
    await_stop(tracer, tid, apart);
    ticker_wait(&tracer->clock.ticker, false);
    if (!tracer->awaited)
        return;
    tracer->awaited = 0;
    tracer->clock.missed.count[MISSED_STOP] += still_asked(tracer, tid);
    news_await(&tracer->news, tid); /* it may have stopped just now, when its signal was already ignored */
}

static void throttle(struct tracer *tracer, uint64_t now_ns)
{
    struct clock *clock = &tracer->clock;
    uint64_t asked_ns = tracer->pace.period_ns;
    if (!tracer->window_began_ns)
        tracer->window_began_ns = now_ns;
    if (now_ns - tracer->window_began_ns < WINDOW_NS || clock->picker.ran_ns < WINDOW_RAN_NS)
        return;
    uint64_t paused_ns = tracer->window_paused_ns + clock->wasted_ns;
    clock->period_ns =
        tick_throttle(clock->period_ns, asked_ns, paused_ns, clock->picker.ran_ns, tracer->options.max_overhead);
    if (clock->period_ns > asked_ns &&
        clock->period_ns > atomic_load(&tracer->channel->shared->counts.longest_period_ns))
        atomic_store(&tracer->channel->shared->counts.longest_period_ns, clock->period_ns);
    tracer->window_began_ns = now_ns;
    tracer->window_paused_ns = clock->picker.ran_ns = clock->wasted_ns = 0;
}

static void serve(struct tracer *tracer, struct clock_tick *tick)
{
    struct thread *thread = tick->chosen.thread;
    bool own = tick->blocker->own;
    pid_t asked = ask_to_stop(tracer, tick);
    if (tick->scheduled && tick->comes && !tick->found && tracer->clock.picker.is_crowd)
        atomic_fetch_add(&tracer->channel->shared->counts.lost_crowd, 1);
    uint64_t taken_ns = clock_release(&tracer->clock, tick, asked);
    if (asked) {
        thread->own->attempt.own_ns = taken_ns;
        thread->own->attempt.spoilt = !taken_ns;
        collect(tracer, asked, !own);
    }
    clock_served(&tracer->clock, tick);
}

/* Waiting threads have deadlines of their own, independent of the number of CPUs with ticks. */
static void look_at_waits(struct tracer *tracer, uint64_t now_ns)
{
    uint64_t skipped, period_ns = tracer->clock.period_ns;
    if (!tracer->options.wall || tracer->off || now_ns < tracer->waits_due_ns)
        return;
    if (tracer->waits_due_ns)
        waits_look(tracer);
    if (tracer->waits.period_ns != period_ns)
        tick_start(&tracer->waits, now_ns, period_ns, now_ns);
    tracer->waits_due_ns = tick_next(&tracer->waits, time_now_ns(), &skipped);
}

/* Traces the kernel workers of a process. The looks have found that it may have threads without an event. */
static void find_workers(struct tracer *tracer)
{
    pid_t *unfound = &tracer->clock.picker.unfound;
    struct process *process = *unfound ? table_process(&tracer->follow.table, *unfound) : NULL;
    *unfound = 0;
    if (process && !tracer->off)
        follow_find_workers(&tracer->follow, process);
}

void tick_serve(struct tracer *tracer)
{
    struct clock_tick tick;
    if (!clock_take(&tracer->clock, tracer->off, &tick))
        return;
    if (tick.blocker)
        serve(tracer, &tick);
    if (tick.looked)
        due_found(tracer);
    find_workers(tracer);
    if (tick.looked && tracer->clock.outranked)
        atomic_store(&tracer->channel->shared->counts.outranked, true);
    atomic_store(&tracer->channel->shared->counts.queued_ns, tracer->clock.picker.queued_ns);
    due_look(tracer, tick.began_ns);
    look_at_waits(tracer, tick.began_ns);
    pace_follow(tracer, tick.began_ns);
    throttle(tracer, tick.began_ns);
}
