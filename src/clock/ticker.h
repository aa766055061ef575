/* SPDX-License-Identifier: MIT
 *
 * When the tracing thread wakes by itself. While it is not known where tracees run, it looks for them once in each
 * period; then the ticks of their CPUs say (clock/holders.h).
 *
 * A small thread, the tick thread, breaks waits that last too long, and sees to it that the tracing thread is not kept
 * waiting for good by a tracee's memory, whatever it is doing. */
#ifndef CLOCK_TICKER_H
#define CLOCK_TICKER_H

#include "base/wake.h"
#include "model/tick.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The signal that breaks a wait of the tracing thread that has lasted too long. */
#define TICKER_BREAK_SIGNAL SIGUSR1

struct ticker {
    /* of the tracing thread */
    struct tick_schedule schedule;
    uint64_t own_ns; /* the next instant of the schedule, while it is not known where tracees run */
    bool running;
    /* shared with the tick thread */
    pthread_t thread;
    pid_t woken;              /* tid of the tracing thread */
    _Atomic pid_t tid;        /* of the tick thread; 0 until it runs */
    _Atomic uint32_t *wake;   /* word that the tracing thread sleeps on */
    struct wake_turn turn;    /* of the tick thread: a new instant */
    _Atomic uint64_t next_ns; /* instant of the next tick; 0: parked */
    _Atomic bool works;       /* the tracing thread is not in its own sleep; */
    _Atomic bool parked;      /* the tick thread sleeps while this is set, and must be woken */
    _Atomic bool waiting;     /* the tracing thread is waiting for a tracee to stop */
};

/* Starts the tick thread, parked. The caller is the tracing thread, which sleeps on WAKE. Returns 0 or -errno. */
int ticker_start(struct ticker *ticker, _Atomic uint32_t *wake, uint64_t period_ns);

/* Lets it tick, or parks it. */
void ticker_run(struct ticker *ticker, bool run);

/* True if a tick is due. */
bool ticker_due(const struct ticker *ticker);

/* The look at own_ns was made: plans the next one in the next period of PERIOD_NS. */
void ticker_served(struct ticker *ticker, uint64_t period_ns);

/* The next tick is at monotonic time INSTANT_NS. */
void ticker_plan(struct ticker *ticker, uint64_t instant_ns);

/* Breaks the wait of the tracing thread, if it is in one. For any thread of its process. */
void ticker_break(const struct ticker *ticker);

/* Sleeps until the wake word is not SEEN, a signal comes, a tick is due, or it is UNTIL_NS (monotonic; 0: never). */
void ticker_sleep(struct ticker *ticker, uint32_t seen, uint64_t until_ns);

#endif
