/* SPDX-License-Identifier: MIT
 *
 * Ticks on many CPUs. Each CPU on which tracees run has its own instants, and a small thread of ours, its CPU blocker
 * (a "holder"), sleeps on that CPU until the next one. The timer interrupt on that very CPU displaces the running
 * thread, in user code or in the kernel, as any other interrupt would. The blocker then keeps the CPU until the tracing
 * thread, which is awake on another CPU, has asked the displaced tracee to stop and releases the blocker. So a stop
 * finds a thread where a random instant finds it. Without the blocker, a stop requested from another CPU would find it
 * far too often at the exit of the next system call, because the request is seen there before its interrupt arrives.
 *
 * A blocker that is not released in time gives up, and its tick is dropped. All functions are for the tracing
 * thread. */
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
    bool unavailable; /* its CPU is not for us, or gone */
    uint64_t shut_until_ns;
    uint64_t next_ns;      /* its next instant, the earlier of these two: */
    uint64_t scheduled_ns; /* by the schedule */
    uint64_t extra_ns;     /* wanted besides; 0: none */
    uint64_t seen_ns;      /* when a tracee was last found running there */
    int above;             /* the highest real-time priority of tracees, which it must exceed */
    uint64_t awake_ns;     /* when the tracing thread began to wait for it last */
    uint64_t busy_ns;      /* how long a stop takes after its release: the median */
    uint64_t looks_ns;     /* how long it was held last until its thread was asked to stop */
    uint64_t
        skipped;  /* ticks of the schedule that were over before they could be served, for the caller to take away */
    bool rivalry; /* several tracees wanted the CPU at the last full look */
    pid_t last;   /* tid of the thread that had it last; 0: none */
    struct tick_schedule schedule;
    struct tick_lateness usual;
    int sched_fd; /* the sched file of its thread */
    /* shared with its thread */
    const struct ticker *ticker; /* the tracing thread's ticker: the blocker wakes that thread through it */
    _Atomic pid_t tid;
    _Atomic uint32_t trial;         /* never changes: trial sleeps wait on it */
    struct wake_turn turn;          /* a new instant */
    _Atomic uint64_t least_late_ns; /* of a few wake-ups when it began; 0: not known yet */
    _Atomic bool astray;            /* it is not on its CPU */
    _Atomic uint64_t wanted_ns;     /* the instant that it sleeps for; 0: none */
    _Atomic uint64_t patience_ns;   /* how long it holds its CPU at most */
    _Atomic uint64_t since_ns;      /* when it took its CPU */
    _Atomic uint64_t held_ns;       /* the instant for which it blocks; written after since_ns */
    _Atomic uint64_t released_ns;   /* the instant for which it may stop blocking */
    _Atomic uint64_t gave_up_ns;    /* the instant for which it has stopped blocking, whatever is asked */
};

struct holders {
    const struct ticker *ticker;
    struct holder **items; /* owned */
    size_t count, room;
    uint64_t ahead_ns; /* how long before an instant the tracing thread must wake to be in time */
    uint64_t seed;
    int64_t unseen_ns; /* part of a pause before its measured beginning and after its measured end */
    int above;         /* the real-time priority that the tracing thread must exceed */
    bool real_time;    /* no other thread runs before one of ours that has been woken */
};

/* TICKER is borrowed for good: a holder that has taken its CPU breaks a wait of the tracing thread. */
void holders_start(struct holders *holders, const struct ticker *ticker, uint64_t seed);

/* A tracee was found running on CPU, where a tick is wanted each PERIOD_NS. If it has none yet, the first one comes
 * soon, at a random instant. OWN_CPU is the caller's. */
void holders_see(struct holders *holders, int cpu, int own_cpu, uint64_t period_ns, uint64_t now_ns);

/* A tracee with real-time PRIORITY was found on CPU: a CPU blocker must outrank it. */
void holders_rise(struct holders *holders, int cpu, int priority);

/* True if CPU blockers outrank a tracee with real-time PRIORITY. If not, its stop is requested from another CPU. */
bool holders_outrank(const struct holders *holders, int priority);

/* A tick found no thread where it looked, but a tracee there has run for longer than its samples represent: brings
 * the next tick there forward. */
void holders_hurry(struct holders *holders, int cpu, uint64_t now_ns);

/* Tracees have run for RAN_NS in the last SINCE_NS, on unknown CPUs. If this is a fair part of the CPUs that have
 * ticks, all of them keep their ticks. */
void holders_keep(struct holders *holders, uint64_t ran_ns, uint64_t since_ns, uint64_t now_ns);

/* Ends the ticks of CPUs on which no tracee was seen for a while. */
void holders_expire(struct holders *holders, uint64_t now_ns);

/* Ends all ticks, because nothing can be sampled. */
void holders_park(struct holders *holders);

/* Requests an additional tick on CPU at monotonic time INSTANT_NS (0: none), and on no other CPU. Returns false if
 * CPU has no ticks. */
bool holders_request(struct holders *holders, int cpu, uint64_t instant_ns);

/* The calling thread sits on OWN_CPU now. */
void holders_avoid(struct holders *holders, int own_cpu);

/* True if CPU has ticks, or had lately. */
bool holders_want(const struct holders *holders, int cpu);

/* The one with the earliest instant, NULL if none has one. */
struct holder *holders_next(const struct holders *holders);

/* When the calling thread has to be awake for HOLDER's next instant. */
uint64_t holders_wake_ns(const struct holders *holders, const struct holder *holder);

/* Waits until HOLDER blocks its CPU. *LATE: the scheduler ran others first. This cannot happen with a real-time
 * priority: a thread that is then displaced late was in the kernel at the instant, and could not be displaced there.
 * Returns false, and the tick is dropped, if HOLDER is not on its CPU or did not come. */
bool holders_await(struct holders *holders, struct holder *holder, bool *late);

/* How long HOLDER has held its CPU; 0 if it has given up. */
uint64_t holder_held(struct holder *holder);

/* How long the CPU was held in vain, as HOLDER gave up; 0 if it did not. */
uint64_t holder_wasted(const struct holder *holder);

/* Plans the next tick, in a period of PERIOD_NS if this one was of the schedule, and lets the CPU go. COMES: that had
 * been taken. If ASKED, a thread will stop there now. */
void holder_release(const struct holders *holders, struct holder *holder, uint64_t period_ns, bool comes, bool asked);

/* A sample represents WEIGHT_NS of its thread's time. Where they represent less than a PERIOD_NS, ticks come too often:
 * pauses take longer than is seen. */
void holders_learn(struct holders *holders, uint64_t weight_ns, uint64_t period_ns);

/* The tick that was released at monotonic time RELEASED_NS has been served. Plans the next tick again if it is
 * already over. */
void holder_served(const struct holders *holders, struct holder *holder, uint64_t period_ns, uint64_t released_ns);

#endif
