/* SPDX-License-Identifier: MIT
 *
 * Time that threads spend without running. schedstat shows how long a thread has run. For the rest of the wall time
 * since it was first seen, it has waited, partly for a CPU. A sample of a waiting thread represents all time that no
 * earlier sample represents. So running and waiting add up to the thread's lifetime.
 *
 * A thread waits for a CPU after it was displaced, or after it woke up. A displaced thread is still where it ran, so
 * the next sample that finds it running represents this time. A woken thread is still where it waited. schedstat does
 * not distinguish the two; the counts of context switches do. Pure. */
#ifndef MODEL_WAIT_H
#define MODEL_WAIT_H

#include "common/model/proctext.h"

#include <stdbool.h>
#include <stdint.h>

/* Wait reasons other than system calls. The numbers differ from those of all system calls. */
enum wait_place {
    WAIT_FIRST = 1 << 20,
    WAIT_FOR_CPU = WAIT_FIRST, /* it could run */
    WAIT_STOPPED,              /* by job control */
    WAIT_OUTSIDE,              /* asleep outside of system calls, mostly for a page; also CPU time for a page */
    WAIT_WORKER,               /* not a wait reason: a kernel thread, which has no user code */
    WAIT_GIL,                  /* for Python's global lock */
    WAIT_GVL,                  /* for Ruby's */
    WAIT_IDLE,                 /* only in tables: for work, as other threads of its pool; see profile/idle.h */
};

/* Time that a thread waited for a CPU. */
struct wait_queue {
    uint64_t waited_ns, arrivals; /* schedstat, */
    struct switches switches;     /* and context switches, at the last division */
    uint64_t stops;               /* stops for samples since then: to the kernel, they are sleeps */
    uint64_t sleeps, turns;       /* 1: at that time it slept, or waited for a CPU after being displaced */
    uint64_t displaced_ns;        /* for the next sample that finds it running */
    uint64_t woken_ns;            /* for the waits that have ended since it was last found waiting, */
    uint64_t wakes;               /* and how many there were */
};

struct thread_wait {
    uint64_t born_ns;      /* monotonic time since which it is watched; 0: it is not */
    uint64_t born_ran_ns;  /* its CPU time at that point */
    uint64_t billed_ns;    /* time without a CPU that samples represent, or will represent: see the queue */
    struct schedstat seen; /* schedstat when it was last found waiting */
    struct wait_queue queue;
    uint64_t looks; /* looks at its process when it was last billed */
    bool waits;     /* a sample shows where it waits now, and it is not known to have run since */
};

struct process_wait {
    uint64_t lived_ns;     /* lifetime of ended threads of the present image */
    uint64_t billed_ns;    /* time that samples of the image represent */
    uint64_t clock_ns;     /* the process's CPU clock at the last look at all its threads; UINT64_MAX: never */
    uint64_t confirmed_ns; /* monotonic time at which its waiting threads were last known to be waiting */
    uint64_t looks;        /* number of looks */
    uint64_t told_ns;      /* time of the last report to the front */
};

/* The time that a sample represents: asleep, or waiting for a CPU. */
struct wait_weight {
    uint64_t blocked_ns, queued_ns;
};

/* Begins to watch a thread at NOW_NS. RAN and SWITCHES: its counts so far. */
void wait_begin(struct thread_wait *thread, uint64_t now_ns, const struct schedstat *ran,
                const struct switches *switches);

/* Divides the time that a thread waited for a CPU until NOW_NS, since the last division. RAN and SWITCHES: its counts
 * now. BLOCKED: it sleeps. If it was displaced and also woke up since then, each time gets an equal part. */
void wait_divide(struct thread_wait *thread, uint64_t now_ns, const struct schedstat *ran,
                 const struct switches *switches, bool blocked);

/* Bills the time until UNTIL_NS to the wait at which a thread was last seen. */
uint64_t wait_bill_seen(struct thread_wait *thread, struct process_wait *process, uint64_t until_ns);

/* The same for a thread that has run since, found at NOW_NS with the counts RAN, before the division. Leaves the time
 * waited for a CPU. */
uint64_t wait_bill_over(struct thread_wait *thread, struct process_wait *process, uint64_t until_ns, uint64_t now_ns,
                        const struct schedstat *ran);

/* Bills the time waited for a CPU after the wait at which the thread was last seen. Returns this time. */
uint64_t wait_bill_woken(struct thread_wait *thread, struct process_wait *process);

/* Bills all other time without a CPU to a thread found waiting at NOW_NS. RAN is exact then. */
struct wait_weight wait_bill(struct thread_wait *thread, struct process_wait *process, uint64_t now_ns,
                             const struct schedstat *ran);

/* Bills the time waited for a CPU after being displaced to a thread found running. Returns this time. */
uint64_t wait_bill_displaced(struct thread_wait *thread, struct process_wait *process);

/* Adds the lifetime of a thread that ends at NOW_NS, once. */
void wait_end(struct thread_wait *thread, struct process_wait *process, uint64_t now_ns);

/* All threads of an image have ended, with CPU_NS of CPU time. Returns the time that they lived without running, but at
 * least the billed time. */
uint64_t wait_image(const struct process_wait *process, uint64_t cpu_ns);

/* Returns how long to wait after a look that took TOOK_NS of CPU time, so that looks do not take more than their
 * share. */
uint64_t wait_scan_pause(uint64_t took_ns);

#endif
