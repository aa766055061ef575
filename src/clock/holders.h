/* SPDX-License-Identifier: MIT
 *
 * Ticks of many CPUs. Each CPU on which tracees run has its own instants, and a small thread of ours that sleeps on it
 * until the next one: the timer's interrupt on that very CPU displaces whoever runs there, in user code or in the
 * kernel, as it would for any other reason. The thread then holds the CPU until the tracing thread, which is awake on
 * another one, has asked the displaced tracee to stop and lets it go. So a stop finds a thread where a random instant
 * finds it. Asked for from another CPU without that, it would find it at the exit of the next system call far too
 * often, as the request is seen there before its interrupt arrives.
 *
 * A holder that was not let go of in time gives up, and its tick is none. All functions are for the tracing thread. */
#ifndef CLOCK_HOLDERS_H
#define CLOCK_HOLDERS_H

#include "clock/ticker.h"
#include "model/tick.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct holder {
    /* of the tracing thread */
    int cpu;
    bool active; /* it has a next instant */
    bool own;    /* the tracing thread sits on this CPU itself, and needs no one to hold it */
    bool started;
    bool shuts; /* its CPU is not for us, or gone */
    uint64_t shut_until_ns;
    uint64_t next_ns;      /* its next instant, the earlier one of these: */
    uint64_t scheduled_ns; /* by the schedule */
    uint64_t also_ns;      /* wanted besides; 0: none */
    uint64_t seen_ns;      /* when a tracee was last found running there */
    int above;             /* the highest real-time priority of tracees that it was told to be above */
    uint64_t awake_ns;     /* when the tracing thread began to wait for it last */
    uint64_t busy_ns;      /* how long a stop takes after its release: the median */
    uint64_t looks_ns;     /* how long it was held last until its thread was asked to stop */
    uint64_t
        skipped;  /* ticks of the schedule that were over before they could be served, for the caller to take away */
    bool rivalry; /* several tracees wanted the CPU at the last full look */
    pid_t last;   /* tid of the one that had it last; 0: none */
    struct tick_schedule schedule;
    struct tick_lateness usual;
    int sched_fd; /* the sched file of its thread */
    /* shared with its thread */
    const struct ticker *ticker; /* whose waits it breaks */
    _Atomic pid_t tid;
    _Atomic uint32_t trial;         /* that nobody changes */
    struct wake_turn turn;          /* a new instant */
    _Atomic uint64_t least_late_ns; /* of a few wake-ups when it began; 0: not known yet */
    _Atomic bool astray;            /* it is not on its CPU */
    _Atomic uint64_t wanted_ns;     /* the instant that it sleeps for; 0: none */
    _Atomic uint64_t patience_ns;   /* how long it holds its CPU at most */
    _Atomic uint64_t since_ns;      /* when it took its CPU */
    _Atomic uint64_t held_ns;       /* the instant for which it did; written after since_ns */
    _Atomic uint64_t released_ns;   /* the instant for which it need not hold it any longer */
    _Atomic uint64_t gave_up_ns;    /* the instant for which it did not hold it any longer, whatever is asked */
};

struct holders {
    const struct ticker *ticker;
    struct holder **items; /* owned */
    size_t count, room;
    uint64_t ahead_ns; /* so long before an instant the tracing thread wants to wake: it then comes just in time */
    uint64_t seed;
    int64_t unseen_ns; /* that a pause takes before it is seen to begin, and after it is seen to end */
    int above;         /* the real-time priority that the tracing thread was told to be above */
    bool real_time;    /* no other thread runs before one of ours that has been woken */
};

/* TICKER is borrowed for good: a holder that has taken its CPU breaks a wait of the tracing thread. */
void holders_start(struct holders *holders, const struct ticker *ticker, uint64_t seed);

/* A tracee was found running on CPU, where a tick is wanted each PERIOD_NS. If it has none yet, the first one comes
 * soon, at a random instant. OWN_CPU is the caller's. */
void holders_see(struct holders *holders, int cpu, int own_cpu, uint64_t period_ns, uint64_t now_ns);

/* A tracee with real-time PRIORITY was found on CPU: what takes the CPU for a tick comes before it. */
void holders_rise(struct holders *holders, int cpu, int priority);

/* True if what takes a CPU for a tick comes before a tracee with real-time PRIORITY. Where it does not, a thread is
 * asked to stop from another CPU. */
bool holders_outrank(const struct holders *holders, int priority);

/* A tick found nobody where it looked, and a tracee on CPU that has run for longer than its samples tell: the next one
 * there comes soon. */
void holders_hurry(struct holders *holders, int cpu, uint64_t now_ns);

/* Tracees have run for RAN_NS in the last SINCE_NS, and it is not known where: if that is a fair part of the CPUs that
 * have ticks, all of these keep them. */
void holders_keep(struct holders *holders, uint64_t ran_ns, uint64_t since_ns, uint64_t now_ns);

/* CPUs on which no tracee was seen for a while have no ticks any more. */
void holders_spare(struct holders *holders, uint64_t now_ns);

/* There is nothing to sample at all. */
void holders_park(struct holders *holders);

/* A tick is wanted on CPU at monotonic time INSTANT_NS (0: none) besides those of its schedule, and on no other.
 * Returns false if CPU has no ticks. */
bool holders_also(struct holders *holders, int cpu, uint64_t instant_ns);

/* The calling thread sits on OWN_CPU now. */
void holders_avoid(struct holders *holders, int own_cpu);

/* True if CPU has ticks, or had lately. */
bool holders_want(const struct holders *holders, int cpu);

/* The one with the earliest instant, NULL if none has one. */
struct holder *holders_next(const struct holders *holders);

/* When the calling thread has to be awake for HOLDER's next instant. */
uint64_t holders_wake_ns(const struct holders *holders, const struct holder *holder);

/* Waits until HOLDER holds its CPU. *LATE: the scheduler had others run first. With a real-time priority there are
 * none: whoever is displaced then, however late, was in the kernel at the instant, and could not be displaced there.
 * False if it is not on its CPU, or did not come: the tick is none. */
bool holders_await(struct holders *holders, struct holder *holder, bool *late);

/* How long HOLDER has held its CPU by now; 0 if it has given up. */
uint64_t holder_held(struct holder *holder);

/* How long the CPU was held in vain, as HOLDER gave up; 0 if it did not. */
uint64_t holder_wasted(const struct holder *holder);

/* Plans the next tick, in a period of PERIOD_NS if this one was of the schedule, and lets the CPU go. COMES: that had
 * been taken. If ASKED, a thread will stop there now. */
void holder_release(const struct holders *holders, struct holder *holder, uint64_t period_ns, bool comes, bool asked);

/* A sample stands for WEIGHT_NS of its thread's time. Where they stand for less than a PERIOD_NS, ticks come too often:
 * pauses take longer than is seen. */
void holders_learn(struct holders *holders, uint64_t weight_ns, uint64_t period_ns);

/* The tick that was released at monotonic time RELEASED_NS has been served: a next one that is already over is planned
 * anew. */
void holder_served(const struct holders *holders, struct holder *holder, uint64_t period_ns, uint64_t released_ns);

#endif
