/* SPDX-License-Identifier: MIT */
/* The sources of ticks and the placements of the tracer that are compared. */
#ifndef BENCH_PACER_H
#define BENCH_PACER_H

#include "bench.h"

#include <pthread.h>
#include <stdatomic.h>

enum tick_source {
    TICK_OWN,   /* the tracer sleeps until the next tick */
    TICK_TWO,   /* two interleaved timers of twice the period, always evenly spaced */
    TICK_THREAD /* a thread on another CPU than the tracee's wakes the tracer with a futex */
};

enum placement {
    PLACE_FREE,  /* wherever the scheduler likes */
    PLACE_OTHER, /* any CPU but the tracee's */
    PLACE_SAME   /* the tracee's CPU */
};

struct pacing {
    enum tick_source source;
    enum placement placement;
    unsigned look_every; /* read the tracee's CPU every so many ticks */
    unsigned hold_us;    /* the tick thread keeps its CPU awake until the resume, at most for this time */
    unsigned rescue_us;  /* if the tracer is late by this time, the tick thread moves it off the tracee's CPU */
    unsigned slice_us;   /* the tracer's scheduler slice, 0: the default */
    bool fifo;           /* tracer SCHED_FIFO (needs root) */
    bool spin;           /* busy-wait for the stop; makes sense only on another CPU */
    bool gate;           /* restrict the tracee's affinity to the tracer's CPU while it is resumed */
    bool even;           /* evenly spaced ticks, instead of a random time in each period */
};

struct pacer {
    struct pacing how;
    uint64_t period;
    uint64_t begin; /* of the current period */
    unsigned seed;
    pid_t tracer;
    int stat_fd;     /* the tracee's, for its CPU */
    _Atomic int cpu; /* where the tracer was put */
    unsigned ticks_seen_cpu;
    uint64_t moves;
    int timer[2];
    unsigned turn;
    pthread_t thread;
    _Atomic int thread_tid;
    _Atomic uint32_t ticks;
    _Atomic uint32_t served;
    _Atomic uint64_t late_since; /* time of the oldest unserved tick, or 0 */
    _Atomic bool stop;
    bool other_stop; /* the last stop had another cause than our INTERRUPT */
};

/* Call it in the tracing thread. Places the thread and sets its slice. */
void pacer_open(struct pacer *p, const struct pacing *how, long hz, pid_t tracee);
void pacer_wait(struct pacer *p);
void pacer_served(struct pacer *p);
void pacer_close(struct pacer *p);

enum stop_result { STOP_DONE, STOP_ENDED };

/* Takes a sample: INTERRUPT, wait, GETREGSET, CONT. Passes on the signal of another stop. On STOP_ENDED, *status
 * is the tracee's wait status. */
enum stop_result stop_once(struct pacer *p, pid_t tracee, int *status);

/* Names are "own", "two", "thread" and "free", "other", "same"; returns -1 for others. */
int tick_source_named(const char *name);
int placement_named(const char *name);

#endif
