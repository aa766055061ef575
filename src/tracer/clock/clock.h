/* SPDX-License-Identifier: MIT
 *
 * The ticks as a whole: when and where one is due, and which thread it displaces. Call all functions from the tracing
 * thread. */
#ifndef CLOCK_CLOCK_H
#define CLOCK_CLOCK_H

#include "common/model/judge.h"
#include "common/model/missed.h"
#include "tracer/clock/blockers.h"
#include "tracer/clock/picker.h"
#include "tracer/clock/placement.h"

struct table;

struct clock {
    struct picker picker;
    struct ticker ticker;
    struct blockers blockers;
    struct placement placement;
    uint64_t period_ns;          /* time between samples; set by the owner */
    uint64_t weight_ns;          /* CPU time that the last sample represents; set by the owner; 0: unknown */
    struct missed_events missed; /* counts of missed samples by reason; the owner adds its own reasons */
    bool outranked;              /* a tracee's real-time priority was too high for ours to exceed */
    uint64_t wasted_ns;          /* time that CPUs were blocked without a sample; the owner may reset it */
    uint64_t looked_ns;          /* monotonic time of the last full look */
    int own_schedstat;           /* descriptor of the tracing thread's */
    struct schedstat own_before; /* CPU time of the tracing thread at the tick */
    struct tick_lateness usual;  /* usual delay of the tracing thread's own timer */
};

/* The tick that is being served. */
struct clock_tick {
    struct blocker *blocker; /* the tick's CPU blocker; NULL: the tick was only for a full look, and is over */
    bool scheduled;          /* the CPU was taken for this tick */
    bool comes;              /* the scheduler ran other threads first */
    bool late;               /* as exactly as the scheduler allowed; late: other threads ran first */
    bool found;              /* CHOSEN is set, or no thread was wanted */
    bool nobody_found;       /* no thread was found, though threads want this CPU */
    bool looked;             /* all threads were looked at; the running ones are in the picker's items */
    uint64_t began_ns;       /* monotonic times: when serving it began, */
    uint64_t taken_ns;       /* when the tracing thread took the CPU, if it is the tracing thread's own, */
    uint64_t released_ns;    /* and when the CPU was released */
    uint64_t late_ns;        /* how long after the deadline the CPU was taken */
    struct candidate chosen;
    enum judge_place place; /* how the thread was displaced */
};

/* Starts ticks, parked, with PERIOD_NS between samples. The tracing thread sleeps on WAKE. If *NEWS is not 0, events
 * wait, and a look at many threads is interrupted. TABLE and NEWS are borrowed. Returns 0 or -errno. */
int clock_start(struct clock *clock, struct table *table, _Atomic uint32_t *wake, const volatile sig_atomic_t *news,
                uint64_t period_ns);

/* Takes the tick that is due, if any, into TICK, with the thread that it displaced. The CPU is blocked until
 * clock_release: before it, the caller asks the thread to stop, or decides not to. While samples are OFF, looks for
 * threads only for additional ticks. Returns false if no tick is due. */
bool clock_take(struct clock *clock, bool off, struct clock_tick *tick);

/* Releases the CPU of TICK. ASKED: tid of the thread that was asked to stop; 0: none. Returns how long the CPU had been
 * blocked when it was released, or 0 if the thread may have continued before. */
uint64_t clock_release(struct clock *clock, struct clock_tick *tick, pid_t asked);

/* TICK has been served, and its stop has been handled. Does a full look if it is worth it (TICK->looked). */
void clock_served(struct clock *clock, struct clock_tick *tick);

/* Does a full look: finds the CPUs where threads may run, which get ticks. MISSED: a tick found no thread. Returns
 * false if it is too soon after a look that took long. */
bool clock_look(struct clock *clock, uint64_t now_ns, bool missed);

/* Which ticks are wanted. */
enum clock_wanted {
    CLOCK_NONE,    /* nothing to sample */
    CLOCK_RUNNING, /* processes that run */
    CLOCK_ALL,     /* any that could be sampled */
};

/* Plans the next tick if ticks are WANTED, moves this thread to its CPU, and sleeps. The sleep ends when the tick is
 * due, at EXTRA_NS (a tick without a CPU) or UNTIL_NS (both monotonic; 0: never), on a signal, or when the wake word
 * differs from SEEN. */
void clock_sleep(struct clock *clock, enum clock_wanted wanted, uint64_t extra_ns, uint32_t seen, uint64_t until_ns);

/* Ends all ticks. */
void clock_park(struct clock *clock);

#endif
