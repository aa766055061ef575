/* SPDX-License-Identifier: MIT */
#include "clock/holder_thread.h"

#include "arch/machine.h"
#include "base/time.h"
#include "base/wake.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    STACK_BYTES = 1 << 16,
    TRIAL_SLEEPS = 6,
    TRIAL_SLEEP_NS = 30000,
};

static bool sit(const struct holder *holder)
{
    cpu_set_t set;
    if (sched_getcpu() == holder->cpu)
        return true;
    CPU_ZERO(&set);
    CPU_SET((size_t)holder->cpu, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0 && sched_getcpu() == holder->cpu;
}

/* Gives up a tick that could not be served, so that the tracing thread skips it. */
static void give_up(struct holder *holder, uint64_t instant)
{
    atomic_store(&holder->gave_up_ns, instant);
    atomic_store(&holder->held_ns, instant);
}

static void hold(struct holder *holder, uint64_t instant)
{
    uint64_t since = time_now_ns(), until = since + atomic_load(&holder->patience_ns);
    atomic_store(&holder->since_ns, since);
    atomic_store(&holder->held_ns, instant);
    ticker_break(holder->ticker);
    while (atomic_load(&holder->released_ns) != instant) {
        if (time_now_ns() >= until) {
            atomic_store(&holder->gave_up_ns, instant);
            return;
        }
        for (int i = 0; i < 10 && atomic_load(&holder->released_ns) != instant; i++)
            arch_pause();
    }
}

/* Returns the shortest delay of a few wake-ups on this machine. A much longer delay means that another thread ran
 * first. */
static uint64_t least_late(struct holder *holder)
{
    uint64_t least_ns = UINT64_MAX;
    for (int i = 0; i < TRIAL_SLEEPS; i++) {
        uint64_t instant = time_now_ns() + TRIAL_SLEEP_NS;
        while (time_now_ns() < instant)
            wake_wait(&holder->trial, 0, instant);
        uint64_t late_ns = time_now_ns() - instant;
        least_ns = late_ns < least_ns ? late_ns : least_ns;
    }
    return least_ns + !least_ns;
}

static void *run(void *argument)
{
    struct holder *holder = argument;
    uint64_t done = 0, ahead = 0; /* the last deadline that is over, and the last one that the timer was set for */
    prctl(PR_SET_NAME, "pt-hold", 0, 0, 0);
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
    atomic_store(&holder->tid, (pid_t)syscall(SYS_gettid));
    sit(holder);
    atomic_store(&holder->least_late_ns, least_late(holder));
    for (;;) {
        uint32_t turn = atomic_load(&holder->turn.word);
        uint64_t instant = atomic_load(&holder->wanted_ns);
        bool wanted = instant && instant != done;
        if (wanted)
            atomic_store(&holder->astray, !sit(holder));
        if (!wanted || atomic_load(&holder->astray)) {
            wake_turn_wait(&holder->turn, turn, 0);
        } else if (time_now_ns() < instant) {
            ahead = instant;
            wake_turn_wait(&holder->turn, turn, instant);
        } else {
            /* Only the timer of this CPU displaces the running thread. A deadline that was announced too late needs a
             * wake-up from another CPU, so drop it. */
            if (ahead == instant)
                hold(holder, instant);
            else
                give_up(holder, instant);
            done = instant;
        }
    }
    return NULL;
}

bool holder_start(struct holder *holder)
{
    pthread_t thread;
    return holder->started = wake_thread(&thread, run, holder, STACK_BYTES) == 0;
}
