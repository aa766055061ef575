/* SPDX-License-Identifier: MIT
 *
 * Ticks on many CPUs. Each CPU on which tracees run has its own deadlines. A small thread of ours, its CPU blocker,
 * sleeps on that CPU until the next deadline. The timer interrupt on that CPU then displaces the running
 * thread, in user code or in the kernel, as any other interrupt does. The blocker keeps the CPU until the tracing
 * thread, awake on another CPU, has asked the displaced tracee to stop. Then it is released. So a stop finds a thread
 * at a random location.
 *
 * Without the blocker, a stop requested from another CPU would find the thread far too often at the exit of its next
 * system call: there the request is seen before its interrupt arrives.
 *
 * A blocker that is not released in time gives up, and its tick is dropped. Call all functions from the tracing
 * thread. */
#ifndef CLOCK_BLOCKERS_H
#define CLOCK_BLOCKERS_H

#include "tracer/clock/ticker.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct blocker {
    /* used by the tracing thread only: */
    int cpu;
    bool active; /* it has a next deadline */
    bool own;    /* the tracing thread runs on this CPU itself, so no thread need block it */
    bool started;
    bool unavailable; /* this CPU is not available to us, or gone */
    uint64_t shut_until_ns;
    uint64_t next_ns;      /* deadline of its next tick, the earlier of these two: */
    uint64_t scheduled_ns; /* by the schedule */
    uint64_t extra_ns;     /* of an additional tick; 0: none */
    uint64_t seen_ns;      /* when a tracee was last found running there */
    int above;             /* the highest real-time priority of tracees here, which it must exceed */
    uint64_t awake_ns;     /* when the tracing thread last began to wait for it */
    uint64_t busy_ns;      /* how long a stop takes after the CPU is released: the median */
    uint64_t looks_ns;     /* how long it was last blocked until its thread was asked to stop */
    uint64_t skipped;      /* ticks of the schedule that were over before they could be served; the caller resets it */
    bool rivalry;          /* several tracees wanted the CPU at the last full look */
    pid_t last;            /* tid of the thread that had it last; 0: none */
    struct tick_schedule schedule;
    struct tick_lateness usual;
    int sched_fd; /* the sched file of its thread */
    /* shared with its own thread: */
    struct ticker *ticker; /* the tracing thread's ticker, through which the blocker wakes that thread */
    _Atomic pid_t tid;
    _Atomic uint32_t trial;         /* never changes: trial sleeps wait on it */
    struct wake_turn turn;          /* a new instant */
    _Atomic uint64_t least_late_ns; /* shortest delay of a few wake-ups at its start; 0: not known yet */
    _Atomic bool astray;            /* it is not on its CPU */
    _Atomic uint64_t wanted_ns;     /* the deadline that it sleeps for; 0: none */
    _Atomic uint64_t patience_ns;   /* how long it blocks its CPU at most */
    _Atomic uint64_t since_ns;      /* when it took its CPU */
    _Atomic uint64_t held_ns;       /* the deadline for which it blocks; written after since_ns */
    _Atomic uint64_t released_ns;   /* the deadline for which it may stop blocking */
    _Atomic uint64_t gave_up_ns;    /* the deadline for which it has stopped blocking by itself */
};

struct blockers {
    struct ticker *ticker;
    struct blocker **items; /* owned */
    size_t count, room;
    uint64_t ahead_ns; /* how long before a deadline the tracing thread must wake to be in time */
    uint64_t seed;
    int64_t unseen_ns; /* part of a pause outside of its measured beginning and end */
    int above;         /* the real-time priority that the tracing thread must exceed */
    bool real_time;    /* no other thread runs before one of ours that was woken */
};

/* TICKER is borrowed until the process ends: a blocker that has taken its CPU interrupts a wait of the tracing
 * thread. */
void blockers_start(struct blockers *blockers, struct ticker *ticker, uint64_t seed);

/* A tracee was found running on CPU, where a tick is wanted every PERIOD_NS. If CPU has no ticks yet, the first comes
 * soon, at a random time. OWN_CPU: the caller's CPU. */
void blockers_see(struct blockers *blockers, int cpu, int own_cpu, uint64_t period_ns, uint64_t now_ns);

/* A tracee with real-time PRIORITY was found on CPU: a CPU blocker must outrank it. */
void blockers_rise(struct blockers *blockers, int cpu, int priority);

/* True if CPU blockers outrank a tracee with real-time PRIORITY. If not, its stop is requested from another CPU. */
bool blockers_outrank(const struct blockers *blockers, int priority);

/* A tick found no thread where it looked, but a tracee there has run for longer than its samples represent: brings
 * the next tick there forward. */
void blockers_hurry(struct blockers *blockers, int cpu, uint64_t now_ns);

/* Tracees have run for RAN_NS in the last SINCE_NS, on unknown CPUs. If this is a fair part of the CPUs with ticks, all
 * of them keep their ticks. */
void blockers_keep(struct blockers *blockers, uint64_t ran_ns, uint64_t since_ns, uint64_t now_ns);

/* Ends the ticks of CPUs on which no tracee was seen for a while. */
void blockers_expire(struct blockers *blockers, uint64_t now_ns);

/* The only tracee runs on CPU: ends the ticks of all other CPUs. */
void blockers_leave(struct blockers *blockers, int cpu);

/* Ends all ticks, because nothing can be sampled. */
void blockers_park(struct blockers *blockers);

/* Requests an additional tick at monotonic time INSTANT_NS (0: none) on CPU, and on no other CPU. Returns false if CPU
 * has no ticks. */
bool blockers_request(struct blockers *blockers, int cpu, uint64_t instant_ns);

/* The calling thread now runs on OWN_CPU. */
void blockers_avoid(struct blockers *blockers, int own_cpu);

/* Returns true if CPU has ticks, or had them lately. */
bool blockers_want(const struct blockers *blockers, int cpu);

/* Returns the CPU that alone has ticks, or -1 if none or several have. */
int blockers_only(const struct blockers *blockers);

/* Returns the blocker with the earliest deadline, or NULL if none has one. */
struct blocker *blockers_next(const struct blockers *blockers);

/* Returns true if BLOCKER's thread takes the CPU for a tick. Otherwise the tracing thread does so itself, or its CPU is
 * not available. */
bool blocker_takes_cpu(const struct blocker *blocker);

/* Returns when the calling thread must be awake for BLOCKER's next deadline. */
uint64_t blockers_wake_ns(const struct blockers *blockers, const struct blocker *blocker);

/* Waits until BLOCKER blocks its CPU. Sets *LATE if the scheduler ran other threads first. With a real-time priority,
 * this cannot happen: then a late displacement means that the displaced thread was in the kernel. Returns false, and
 * the tick is dropped, if BLOCKER is not on its CPU or did not come. */
bool blockers_await(struct blockers *blockers, struct blocker *blocker, bool *late);

/* Returns how long BLOCKER has blocked its CPU, or 0 if it has given up. */
uint64_t blocker_held(struct blocker *blocker);

/* Returns how long the CPU was blocked for nothing because BLOCKER gave up, or 0 if it did not. */
uint64_t blocker_wasted(const struct blocker *blocker);

/* Plans the next tick, in a period of PERIOD_NS if this one belonged to the schedule, and releases the CPU. COMES: the
 * CPU was taken. ASKED: a thread will stop there now. */
void blocker_release(const struct blockers *blockers, struct blocker *blocker, uint64_t period_ns, bool comes,
                     bool asked);

/* A sample represents WEIGHT_NS of its thread's time. If samples represent less than PERIOD_NS, ticks come too often:
 * pauses take longer than was measured. Corrects this. */
void blockers_learn(struct blockers *blockers, uint64_t weight_ns, uint64_t period_ns);

/* The tick whose CPU was released at monotonic time RELEASED_NS has been served. Plans the next tick again if its
 * deadline is already over. */
void blocker_served(const struct blockers *blockers, struct blocker *blocker, uint64_t period_ns, uint64_t released_ns);

/* All work for the tick of BLOCKER has been done since BEGAN_NS (monotonic), with a real-time priority on the tracing
 * thread's own CPU, where no tracee ran. If that took half a period or more, leaves the CPU to the tracees for as long:
 * the ticks of that time are skipped. */
void blocker_rest(const struct blockers *blockers, struct blocker *blocker, uint64_t began_ns);

#endif
