/* SPDX-License-Identifier: MIT
 *
 * Wakes the tracing thread. While the CPUs of the tracees are unknown, that thread looks for them once in each period.
 * Later, the ticks of these CPUs wake it (clock/blockers.h). No other thread wakes up for a tick. */
#ifndef CLOCK_TICKER_H
#define CLOCK_TICKER_H

#include "common/model/lead.h"
#include "common/model/tick.h"
#include "tracer/clock/watchdog.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The signal that interrupts a wait of the tracing thread for a stop. */
#define TICKER_BREAK_SIGNAL SIGUSR1

struct ticker {
    /* used by the tracing thread only: */
    struct tick_schedule schedule;
    uint64_t own_ns;  /* the next deadline of the schedule, while the CPUs of the tracees are unknown */
    uint64_t next_ns; /* deadline of the next tick; 0: parked */
    bool running;
    bool awaited;           /* another thread will wait for the tracing thread at next_ns */
    struct lead lead;       /* how much earlier that thread wakes up for the first time */
    _Atomic uint32_t *wake; /* word that the tracing thread sleeps on */
    /* shared with other threads of the tracer: */
    pid_t woken;          /* tid of the tracing thread */
    _Atomic bool waiting; /* it is waiting for a tracee to stop; */
    _Atomic bool broken;  /* another tick ends this wait */
    struct watchdog watchdog;
};

/* Prepares the ticks, parked, and starts the watchdog. The caller is the tracing thread, which sleeps on WAKE. Returns
 * 0 or -errno. */
int ticker_start(struct ticker *ticker, _Atomic uint32_t *wake, uint64_t period_ns);

/* Starts or parks the ticks. */
void ticker_run(struct ticker *ticker, bool run);

/* True if a tick is due. */
bool ticker_due(const struct ticker *ticker);

/* The look due at own_ns is done. Plans the next one in the next period of PERIOD_NS. */
void ticker_served(struct ticker *ticker, uint64_t period_ns);

/* Sets the next tick to monotonic time INSTANT_NS. AWAITED: another thread, which has a CPU of the tracees, will then
 * wait for the calling one. */
void ticker_plan(struct ticker *ticker, uint64_t instant_ns, bool awaited);

/* The calling thread, which blocks TICKER_BREAK_SIGNAL, begins or ends a wait for a stop. */
void ticker_wait(struct ticker *ticker, bool waits);

/* Interrupts the wait of the tracing thread, if it is in one. Any thread of the process may call it. */
void ticker_break(struct ticker *ticker);

/* Sleeps until the wake word differs from SEEN, a signal arrives, a tick is due, or monotonic time UNTIL_NS is reached
 * (0: never). */
void ticker_sleep(struct ticker *ticker, uint32_t seen, uint64_t until_ns);

#endif
