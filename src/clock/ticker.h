/* SPDX-License-Identifier: MIT
 *
 * The tick. The tracing thread keeps the schedule, and there are two ways to be woken for it:
 *
 * - by its own timer, on the CPU of the tracee. The interrupt finds the tracee at a random instant, in user code or in
 *   the kernel, and there is no bias at all.
 * - by the tick thread, from another CPU. The timer's interrupt, which is dear on virtual machines, then costs the
 *   tracee nothing; but a tracee that enters the kernel in the few microseconds that the wake-up takes to arrive is
 *   found there. For high rates.
 *
 * Either way the tick thread, a small thread on another CPU, stays awake there while a tick is served, where that is
 * wanted: the kernel wakes a resumed tracee on any idle CPU, and the tracer is still running on the tracee's, so that
 * without it the tracee would move to another CPU at nearly every sample. And it breaks waits that last too long. */
#ifndef CLOCK_TICKER_H
#define CLOCK_TICKER_H

#include "model/tick.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The signal that breaks a wait of the tracing thread that has lasted too long. */
#define TICKER_BREAK_SIGNAL SIGUSR1

/* The signal that ends the tracer when its tracing thread is asleep for good. Nothing but a deadly signal breaks that. */
#define TICKER_GIVE_UP_SIGNAL SIGVTALRM

struct ticker {
    /* of the tracing thread */
    struct tick_schedule schedule;
    uint64_t own_ns;               /* the next instant of the schedule */
    uint64_t also_ns;              /* of a tick that is wanted besides; 0: none */
    bool running;
    /* shared with the tick thread */
    pthread_t thread;
    pid_t woken;                   /* tid of the tracing thread */
    _Atomic pid_t tid;             /* of the tick thread; 0 until it runs */
    _Atomic uint32_t *wake;        /* word that the tracing thread sleeps on */
    _Atomic uint32_t turn;         /* word that the tick thread sleeps on: changes with every new instant */
    _Atomic bool asleep;           /* the tick thread sleeps, or is about to sleep, on turn */
    _Atomic uint64_t next_ns;      /* instant of the next tick; 0: parked */
    _Atomic uint32_t given_turn;   /* turn whose tick the tick thread has given */
    _Atomic uint64_t given_ns;     /* when it did */
    _Atomic bool remote;           /* the tick thread gives the ticks */
    _Atomic bool hold;             /* the tick thread stays awake while a tick is served */
    _Atomic bool waiting;          /* the tracing thread is waiting for a tracee to stop */
};

/* Starts the tick thread, parked. The caller is the tracing thread, which sleeps on WAKE. Returns 0 or -errno. */
int ticker_start(struct ticker *ticker, _Atomic uint32_t *wake, uint64_t period_ns);

/* Lets it tick, or parks it. */
void ticker_run(struct ticker *ticker, bool run);

/* Sets when a tick is wanted besides those of the schedule: monotonic time, 0 for none. Known to the tick thread as soon as
 * one that is due now has been served. */
void ticker_also(struct ticker *ticker, uint64_t instant_ns);

/* True if the tick that is due at NOW_NS is one of the schedule. */
bool ticker_scheduled(const struct ticker *ticker, uint64_t now_ns);

/* True if a tick is due; *INSTANT_NS is set to the time at which the tracing thread was to be woken. */
bool ticker_due(const struct ticker *ticker, uint64_t *instant_ns);

/* The tick has been served: the next one comes in the next period of PERIOD_NS. */
void ticker_served(struct ticker *ticker, uint64_t period_ns);

/* As ticker_served, of a tick that was wanted besides the schedule's, which stands. */
void ticker_also_served(struct ticker *ticker);

/* From now on, or from when it is let tick, PERIOD_NS is the period: what was planned may have been a much longer one. */
void ticker_restart(struct ticker *ticker, uint64_t period_ns);

/* As ticker_served, but there was nothing to sample where we sat: the next one comes soon, at a random instant all the
 * same. */
void ticker_missed(struct ticker *ticker, uint64_t period_ns);

/* Sleeps until the wake word is no longer SEEN, a signal comes, a tick is due, or it is UNTIL_NS (monotonic; 0: never). */
void ticker_sleep(struct ticker *ticker, uint32_t seen, uint64_t until_ns);

#endif
