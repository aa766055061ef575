/* SPDX-License-Identifier: MIT
 *
 * The ticks as a whole: when one is due, where, and whom it meets. All functions are for the tracing thread. */
#ifndef CLOCK_CLOCK_H
#define CLOCK_CLOCK_H

#include "clock/holders.h"
#include "clock/picker.h"
#include "clock/placement.h"
#include "clock/scan.h"
#include "clock/ticker.h"
#include "model/judge.h"
#include "model/missed.h"

struct clock {
    struct picker picker;
    struct ticker ticker;
    struct holders holders;
    struct placement placement;
    uint64_t period_ns;          /* between samples; of the owner */
    uint64_t weight_ns;          /* CPU time that the last sample represents; of the owner; 0: nothing to learn from */
    struct missed_events missed; /* reasons why samples were not taken; the owner adds those it knows */
    bool outranked;              /* a tracee has had a real-time priority that none of ours is above */
    uint64_t wasted_ns;          /* for which CPUs were blocked in vain; the owner may reset it */
    uint64_t looked_ns;          /* monotonic time of the last look at all that may run */
    int own_schedstat;           /* descriptor of the tracing thread's */
    struct schedstat own_before; /* of the tracing thread, at the tick */
    struct tick_lateness usual;  /* of the tracing thread, by its own timer */
};

/* A tick in hand. */
struct clock_tick {
    struct holder *holder; /* the tick's CPU blocker; NULL: the tick was for looking at threads, and is over */
    bool scheduled;        /* the tick is one of the schedule, not an additional one (holders_request) */
    bool comes;            /* the CPU was taken at its instant */
    bool late;             /* as far as the scheduler let us */
    bool found;            /* CHOSEN is set, or nobody was to be looked for */
    bool nobody_found;     /* nobody was found where threads want CPU */
    bool looked;           /* all threads were looked at; running ones are in the picker's items */
    uint64_t began_ns;     /* monotonic times: when it was begun with, */
    uint64_t taken_ns;     /* when the tracing thread took its own CPU, if it was on that, */
    uint64_t released_ns;  /* and when the CPU was let go */
    uint64_t late_ns;      /* how late after the tick the CPU was taken */
    struct candidate chosen;
    enum judge_place place; /* how it was met */
};

/* Starts all of it, parked, with PERIOD_NS between samples. The tracing thread sleeps on WAKE; if *NEWS is not 0,
 * events wait for it, and a look at many threads is broken off. TABLE and NEWS are borrowed. Returns 0 or -errno. */
int clock_start(struct clock *clock, struct table *table, _Atomic uint32_t *wake, const volatile sig_atomic_t *news,
                uint64_t period_ns);

/* Takes the tick that is due, if any, into TICK, with the thread that it displaced, whose CPU is blocked. The caller
 * asks the thread to stop, or does not, and then calls clock_release. While samples are OFF, looks for threads only
 * for additional ticks. Returns false if no tick is due. */
bool clock_take(struct clock *clock, bool off, struct clock_tick *tick);

/* Lets the CPU of TICK go, after the thread was ASKED to stop (its tid; 0: none). Returns for how long its CPU had been
 * taken by the time it was; 0: it may have run on. */
uint64_t clock_release(struct clock *clock, struct clock_tick *tick, pid_t asked);

/* TICK has been served, its stop collected. Looks around if that is worth it: see TICK->looked. */
void clock_served(struct clock *clock, struct clock_tick *tick);

/* Looks at all that may run: there the ticks shall be. With MISSED, a tick found nobody where it looked. Returns false
 * if it is too soon for that after a long look. */
bool clock_look(struct clock *clock, uint64_t now_ns, bool missed);

/* Which ticks are wanted. */
enum clock_wanted {
    CLOCK_NONE,    /* nothing to sample */
    CLOCK_RUNNING, /* processes that run */
    CLOCK_ALL,     /* any that could be sampled */
};

/* Plans the next tick if ticks are WANTED, moves this thread away from the tracees, and sleeps. The sleep ends when
 * the tick is due, at EXTRA_NS (a tick without a CPU) or UNTIL_NS (both monotonic; 0: never), on a signal, or when
 * the wake word differs from SEEN. */
void clock_sleep(struct clock *clock, enum clock_wanted wanted, uint64_t extra_ns, uint32_t seen, uint64_t until_ns);

/* Ends all ticks. */
void clock_park(struct clock *clock);

#endif
