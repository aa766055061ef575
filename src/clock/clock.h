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
    uint64_t weight_ns;          /* that the last sample stands for; of the owner; 0: nothing to learn from */
    struct missed_events missed; /* what has kept samples from being taken; the owner adds what it knows of */
    bool outranked;              /* a tracee has had a real-time priority that none of ours is above */
    uint64_t wasted_ns;          /* for which CPUs were held in vain; the owner may reset it */
    uint64_t looked_ns;          /* monotonic time of the last look at all that may run */
    int own_schedstat;           /* descriptor of the tracing thread's */
    struct schedstat own_before; /* of the tracing thread, at the tick */
    struct tick_lateness usual;  /* of the tracing thread, by its own timer */
};

/* A tick in hand. */
struct clock_tick {
    struct holder *holder; /* whose it is; NULL: it was one to look for threads, and is over */
    bool scheduled;        /* one of the schedule, not one that was wanted besides (holders_also) */
    bool comes;            /* the CPU was taken at its instant */
    bool late;             /* as far as the scheduler let us */
    bool found;            /* CHOSEN is set, or nobody was to be looked for */
    bool untold;           /* nobody was found where threads want CPU */
    bool looked;           /* all were looked at: what runs is in the picker's items */
    uint64_t began_ns;     /* monotonic times: when it was begun with, */
    uint64_t taken_ns;     /* when the tracing thread took its own CPU, if it was on that, */
    uint64_t released_ns;  /* and when the CPU was let go */
    uint64_t late_ns;      /* that the CPU was taken after the instant of the tick */
    struct candidate chosen;
    enum judge_place place; /* how it was met */
};

/* Starts all of it, parked, with PERIOD_NS between samples. The tracing thread sleeps on WAKE; if *NEWS is not 0,
 * events wait for it, and a look at many threads is broken off. TABLE and NEWS are borrowed. Returns 0 or -errno. */
int clock_start(struct clock *clock, struct table *table, _Atomic uint32_t *wake, const volatile sig_atomic_t *news,
                uint64_t period_ns);

/* Takes the tick that is due, if any, into TICK, with the thread that was displaced for it, whose CPU is held: it is to
 * be asked to stop, or not, and then clock_release called. While samples are OFF, only for ticks that were wanted
 * besides is anybody looked for. Returns false if none is due. */
bool clock_take(struct clock *clock, bool off, struct clock_tick *tick);

/* Lets the CPU of TICK go, after the thread was ASKED to stop (its tid; 0: none). Returns for how long its CPU had been
 * taken by the time it was; 0: it may have run on. */
uint64_t clock_release(struct clock *clock, struct clock_tick *tick, pid_t asked);

/* TICK has been served, its stop collected. Looks around if that is worth it: see TICK->looked. */
void clock_served(struct clock *clock, struct clock_tick *tick);

/* Looks at all that may run: there the ticks shall be. With MISSED, a tick found nobody where it looked. Returns false
 * if it is too soon for that after a long look. */
bool clock_look(struct clock *clock, uint64_t now_ns, bool missed);

/* Who is to be ready for ticks. */
enum clock_wanted {
    CLOCK_NONE,    /* there is nothing to sample */
    CLOCK_RUNNING, /* processes that run */
    CLOCK_ALL,     /* any that could be sampled */
};

/* Plans the next tick if there are any WANTED, moves this thread away from the tracees, and sleeps until that tick is
 * due, or it is ALSO_NS (a tick without a CPU) or UNTIL_NS (monotonic; 0: never), a signal comes, or the wake word is
 * no longer SEEN. */
void clock_sleep(struct clock *clock, enum clock_wanted wanted, uint64_t also_ns, uint32_t seen, uint64_t until_ns);

/* There are no ticks any more. */
void clock_park(struct clock *clock);

#endif
