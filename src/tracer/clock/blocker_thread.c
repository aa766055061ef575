/* SPDX-License-Identifier: MIT */
#include "tracer/clock/blocker_thread.h"

#include "common/arch/machine.h"
#include "common/base/time.h"
#include "common/base/wake.h"
#include "tracer/clock/blockers.h"
#include "tracer/clock/ticker.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    STACK_BYTES = 1 << 16,
    TRIAL_SLEEPS = 6,
    TRIAL_SLEEP_NS = 30000,
};

static bool sit(const struct blocker *blocker)
{
    cpu_set_t set;
    if (sched_getcpu() == blocker->cpu)
        return true;
    CPU_ZERO(&set);
    CPU_SET((size_t)blocker->cpu, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0 && sched_getcpu() == blocker->cpu;
}

/* Gives up a tick that could not be served, so that the tracing thread skips it. */
static void give_up(struct blocker *blocker, uint64_t instant)
{
    atomic_store(&blocker->gave_up_ns, instant);
    atomic_store(&blocker->held_ns, instant);
}

static void hold(struct blocker *blocker, uint64_t instant)
{
    uint64_t since = time_now_ns(), until = since + atomic_load(&blocker->patience_ns);
    atomic_store(&blocker->since_ns, since);
    atomic_store(&blocker->held_ns, instant);
    ticker_break(blocker->ticker);
    while (atomic_load(&blocker->released_ns) != instant) {
        if (time_now_ns() >= until) {
            atomic_store(&blocker->gave_up_ns, instant);
            return;
        }
        for (int i = 0; i < 10 && atomic_load(&blocker->released_ns) != instant; i++)
            arch_pause();
    }
}

/* Returns the shortest delay of a few wake-ups on this machine. A much longer delay means that another thread ran
 * first. */
static uint64_t least_late(struct blocker *blocker)
{
    uint64_t least_ns = UINT64_MAX;
    for (int i = 0; i < TRIAL_SLEEPS; i++) {
        uint64_t instant = time_now_ns() + TRIAL_SLEEP_NS;
        while (time_now_ns() < instant)
            wake_wait(&blocker->trial, 0, instant);
        uint64_t late_ns = time_now_ns() - instant;
        least_ns = late_ns < least_ns ? late_ns : least_ns;
    }
    return least_ns + !least_ns;
}

static void *run(void *argument)
{
    struct blocker *blocker = argument;
    uint64_t done = 0, ahead = 0; /* the last deadline that is over, and the last one that the timer was set for */
    prctl(PR_SET_NAME, "pt-hold", 0, 0, 0);
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
    atomic_store(&blocker->tid, (pid_t)syscall(SYS_gettid));
    sit(blocker);
    atomic_store(&blocker->least_late_ns, least_late(blocker));
    for (;;) {
        uint32_t turn = atomic_load(&blocker->turn.word);
        uint64_t instant = atomic_load(&blocker->wanted_ns);
        bool wanted = instant && instant != done;
        if (wanted)
            atomic_store(&blocker->astray, !sit(blocker));
        if (!wanted || atomic_load(&blocker->astray)) {
            wake_turn_wait(&blocker->turn, turn, 0);
        } else if (time_now_ns() < instant) {
            ahead = instant;
            wake_turn_wait(&blocker->turn, turn, instant);
        } else {
            /* Only the timer of this CPU displaces the running thread. A deadline that was announced too late needs a
             * wake-up from another CPU, so drop it. */
            if (ahead == instant)
                hold(blocker, instant);
            else
                give_up(blocker, instant);
            done = instant;
        }
    }
    return NULL;
}

bool blocker_start(struct blocker *blocker)
{
    pthread_t thread;
    return blocker->started = wake_thread(&thread, run, blocker, STACK_BYTES) == 0;
}
