/* SPDX-License-Identifier: MIT */
#include "tracer/clock/clock.h"

#include "common/base/proc.h"
#include "common/base/time.h"
#include "tracer/clock/scan.h"
#include "tracer/tracee/procfs.h"
#include "tracer/tracee/table.h"

#include <string.h>
#include <unistd.h>

enum { LATE_PERIODS = 16 }; /* periods between two full looks while every tick is too late */

int clock_start(struct clock *clock, struct table *table, _Atomic uint32_t *wake, const volatile sig_atomic_t *news,
                uint64_t period_ns)
{
    memset(clock, 0, sizeof *clock);
    clock->period_ns = period_ns;
    clock->own_schedstat = procfs_open(getpid(), getpid(), "schedstat");
    picker_start(&clock->picker, table, news);
    placement_start(&clock->placement);
    blockers_start(&clock->blockers, &clock->ticker, time_now_ns());
    return ticker_start(&clock->ticker, wake, period_ns);
}

/* Returns how long this thread has been on its CPU since it was woken. schedstat shows its CPU time up to its last
 * sleep, and its CPU clock shows the present time. */
static uint64_t own_stretch(struct clock *clock)
{
    char text[96];
    if (proc_read(clock->own_schedstat, text, sizeof text) > 0)
        proctext_schedstat(text, &clock->own_before);
    clock->picker.own_ran_ns = clock->own_before.ran_ns;
    return time_read_ns(CLOCK_THREAD_CPUTIME_ID) - clock->own_before.ran_ns;
}

/* Checks that the calling thread was woken for a tick on its own CPU. Returns false if it was already running for
 * another reason: then it did not displace its predecessor at a random time. */
static bool take_own(struct clock *clock, struct clock_tick *tick)
{
    uint64_t instant_ns = tick->blocker->next_ns, stretch_ns = own_stretch(clock);
    tick->taken_ns = time_now_ns() - stretch_ns;
    bool on_time = tick_on_time(&clock->usual, (int64_t)(tick->taken_ns - instant_ns));
    tick->late = !on_time && !clock->blockers.real_time;
    return on_time || tick->taken_ns > instant_ns;
}

static bool take_cpu(struct clock *clock, struct clock_tick *tick)
{
    if (tick->blocker->own)
        return take_own(clock, tick);
    return tick->blocker->unavailable || blockers_await(&clock->blockers, tick->blocker, &tick->late);
}

/* Returns when the tick's CPU was taken, or 0 if it was not. */
static uint64_t taken_ns(const struct clock_tick *tick)
{
    struct blocker *blocker = tick->blocker;
    return blocker->own ? tick->taken_ns : blocker->unavailable ? 0 : atomic_load(&blocker->since_ns);
}

/* Returns how long after the tick's deadline its CPU was taken. */
static uint64_t late_ns(const struct clock_tick *tick)
{
    uint64_t taken = taken_ns(tick), deadline = tick->blocker->next_ns;
    return taken > deadline ? taken - deadline : 0;
}

static enum judge_place place_of(const struct clock_tick *tick)
{
    if (tick->blocker->unavailable)
        return JUDGE_ELSEWHERE;
    if (tick->blocker->own)
        return tick->chosen.certain ? JUDGE_DISPLACED : JUDGE_HERE;
    return tick->chosen.certain ? JUDGE_TAKEN : JUDGE_HELD;
}

static void choose(struct clock *clock, struct clock_tick *tick)
{
    uint64_t now_ns = time_now_ns();
    clock->picker.taken_ns = taken_ns(tick);
    tick->found = picker_choose(&clock->picker, tick->blocker, &tick->chosen);
    if (!tick->found)
        return;
    tick->blocker->seen_ns = now_ns;
    tick->place = place_of(tick);
}

bool clock_look(struct clock *clock, uint64_t now_ns, bool missed)
{
    struct picker *picker = &clock->picker;
    uint64_t period_ns = clock->period_ns;
    uint64_t since_ns = now_ns - clock->looked_ns;
    if (!scan_look(picker, now_ns))
        return false;
    clock->looked_ns = now_ns;
    for (size_t i = 0; i < picker->count; i++) {
        const struct thread_account *account = &picker->items[i].thread->clock->account;
        int cpu = picker->items[i].cpu, real_time = picker->items[i].thread->clock->real_time;
        clock->missed.count[MISSED_ELSEWHERE] += !blockers_want(&clock->blockers, cpu);
        blockers_see(&clock->blockers, cpu, clock->placement.own, period_ns, now_ns);
        clock->outranked |= real_time && !blockers_outrank(&clock->blockers, real_time);
        if (real_time)
            blockers_rise(&clock->blockers, cpu, real_time);
        /* This thread has run for longer than its samples represent, so do not let it wait a whole period. */
        if (missed && account->seen.ran_ns - account->billed_ns >= 2 * period_ns)
            blockers_hurry(&clock->blockers, cpu, now_ns);
    }
    if (picker->count == 1 && picker->table->count == 1)
        blockers_leave(&clock->blockers, picker->items[0].cpu);
    blockers_keep(&clock->blockers, picker->crowd_ran_ns, since_ns, now_ns);
    blockers_expire(&clock->blockers, now_ns);
    return true;
}

bool clock_take(struct clock *clock, bool off, struct clock_tick *tick)
{
    struct blocker *blocker;
    if (!ticker_due(&clock->ticker))
        return false;
    *tick = (struct clock_tick){.began_ns = time_now_ns()};
    blocker = blockers_next(&clock->blockers);
    if (!blocker && tick->began_ns >= clock->ticker.own_ns) {
        tick->looked = clock_look(clock, tick->began_ns, true);
        ticker_served(&clock->ticker, clock->period_ns);
    }
    if (!blocker || tick->began_ns < blockers_wake_ns(&clock->blockers, blocker))
        return true;
    tick->blocker = blocker;
    tick->scheduled = blocker->next_ns == blocker->scheduled_ns;
    tick->taken_ns = tick->began_ns;
    tick->comes = take_cpu(clock, tick);
    tick->late_ns = late_ns(tick);
    tick->found = off && tick->scheduled;
    if (!tick->comes)
        clock->missed.count[MISSED_LATE]++;
    else if (!tick->found)
        choose(clock, tick);
    return true;
}

/* Returns true if the last look found tracees that wanted this CPU. */
static bool is_wanted(const struct clock *clock, int cpu)
{
    for (size_t i = 0; i < clock->picker.count; i++)
        if (clock->picker.items[i].cpu == cpu)
            return true;
    return false;
}

uint64_t clock_release(struct clock *clock, struct clock_tick *tick, pid_t asked)
{
    struct blocker *blocker = tick->blocker;
    uint64_t taken_ns = 0;
    if (asked)
        taken_ns = blocker_takes_cpu(blocker) ? blocker_held(blocker) : time_now_ns() - tick->taken_ns;
    tick->nobody_found = tick->comes && !tick->found && is_wanted(clock, blocker->cpu);
    tick->released_ns = time_now_ns();
    clock->wasted_ns += tick->comes ? 0 : blocker_wasted(blocker);
    blocker_release(&clock->blockers, blocker, clock->period_ns, tick->comes, asked);
    return taken_ns;
}

/* Returns true if a full look is wanted after TICK. LOOKED_NS: time since the last one. */
static bool is_look_wanted(const struct clock *clock, const struct clock_tick *tick, uint64_t looked_ns)
{
    uint64_t period_ns = clock->period_ns;
    if (!tick->comes)
        return looked_ns >=
               LATE_PERIODS * period_ns; /* a tracer that is late because of too much work must not get more work */
    if (!tick->scheduled)
        return true; /* a tick for an emulated call may use any thread of the process */
    /* a single thread cannot be on another CPU */
    return looked_ns >= (tick->found ? period_ns : period_ns / 4) && (!tick->found || clock->picker.table->count > 1);
}

/* Counts missed ticks by reason. Ticks due while this one waited for a stop are missed because of the stop. Other
 * threads may have run there during that time. The schedule does not count these ticks. All other skipped ticks came
 * too late. */
static void count_skipped(struct clock *clock, struct blocker *blocker, uint64_t stopping_ns)
{
    clock->missed.count[MISSED_STOP] += stopping_ns / clock->period_ns;
    clock->missed.count[MISSED_LATE] += blocker->skipped;
    blocker->skipped = 0;
}

void clock_served(struct clock *clock, struct clock_tick *tick)
{
    uint64_t now_ns = time_now_ns(), stopping_ns = now_ns - tick->released_ns;
    if (clock->weight_ns)
        blockers_learn(&clock->blockers, clock->weight_ns, clock->period_ns);
    clock->weight_ns = 0;
    ride_tick(&clock->placement.ride);
    ride_judge(&clock->placement.ride, now_ns, clock->picker.queued_ns);
    blocker_served(&clock->blockers, tick->blocker, clock->period_ns, tick->released_ns);
    count_skipped(clock, tick->blocker, stopping_ns);
    tick->looked = is_look_wanted(clock, tick, tick->began_ns - clock->looked_ns) &&
                   clock_look(clock, time_now_ns(), tick->comes && !tick->found);
    /* a thread on its way to its stop may run: that time is not the tracer's */
    blocker_rest(&clock->blockers, tick->blocker, tick->began_ns + stopping_ns);
    clock->missed.count[MISSED_AMBIGUOUS] += tick->nobody_found && tick->scheduled && !clock->picker.is_crowd;
}

void clock_park(struct clock *clock)
{
    ticker_run(&clock->ticker, false);
    blockers_park(&clock->blockers);
}

void clock_sleep(struct clock *clock, enum clock_wanted wanted, uint64_t extra_ns, uint32_t seen, uint64_t until_ns)
{
    if (wanted == CLOCK_NONE || !picker_any(&clock->picker, wanted == CLOCK_ALL)) {
        clock_park(clock);
    } else {
        ticker_run(&clock->ticker, true);
        placement_follow(&clock->placement, &clock->blockers);
        const struct blocker *blocker = blockers_next(&clock->blockers);
        uint64_t next_ns = blocker ? blockers_wake_ns(&clock->blockers, blocker) : clock->ticker.own_ns;
        uint64_t instant_ns = time_earlier(extra_ns, next_ns);
        ticker_plan(&clock->ticker, instant_ns, blocker && blocker_takes_cpu(blocker) && instant_ns == next_ns);
    }
    ticker_sleep(&clock->ticker, seen, until_ns);
}
