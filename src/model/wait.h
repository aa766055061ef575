/* SPDX-License-Identifier: MIT
 *
 * Time that threads live without running. schedstat shows how long a thread has run. It has waited for the remainder
 * of the wall time since it was first seen, partly for a CPU. A sample of a waiting thread represents all time that
 * no earlier sample does, so that running and waiting add up to the thread's life. Pure. */
#ifndef MODEL_WAIT_H
#define MODEL_WAIT_H

#include "model/proctext.h"

#include <stdbool.h>
#include <stdint.h>

/* The wait reason of a thread that no system call makes wait. These numbers differ from those of all system calls. */
enum wait_place {
    WAIT_FIRST = 1 << 20,
    WAIT_FOR_CPU = WAIT_FIRST, /* it could run */
    WAIT_STOPPED,              /* by job control */
    WAIT_OUTSIDE, /* asleep outside of system calls, for a page, mostly; working for one, too: see faults.h */
    WAIT_WORKER,  /* no place of a wait: a thread of the kernel's own, which has no user code */
    WAIT_GIL,     /* for Python's global lock */
    WAIT_GVL,     /* for Ruby's */
};

struct thread_wait {
    uint64_t born_ns;      /* monotonic time from which on it is watched; 0: it is not */
    uint64_t born_ran_ns;  /* CPU time that it had used then */
    uint64_t billed_ns;    /* time without a CPU that samples represent */
    uint64_t queued_ns;    /* schedstat's time waited for a CPU that they represent */
    struct schedstat seen; /* when it was last found waiting */
    uint64_t looks;        /* of its process, when it was last billed */
    bool waits;            /* a sample shows where it waits now; as far as known it has not moved since */
};

struct process_wait {
    uint64_t lived_ns;     /* by threads that have ended, of the present image */
    uint64_t billed_ns;    /* by samples of it */
    uint64_t clock_ns;     /* the process's CPU clock when all of its threads were last looked at; UINT64_MAX: never */
    uint64_t confirmed_ns; /* monotonic time at which the threads that wait were last known to do so */
    uint64_t looks;        /* how often they were */
    uint64_t told_ns;      /* when their waiting was last reported to the front */
};

/* The time that a sample represents: asleep, and waiting for a CPU. */
struct wait_weight {
    uint64_t blocked_ns, queued_ns;
};

/* Begins to watch a thread at NOW_NS; RAN is how long it has run and waited so far. */
void wait_begin(struct thread_wait *thread, uint64_t now_ns, const struct schedstat *ran);

/* Bills a thread that is found waiting at NOW_NS all of its time without a CPU. RAN is exact then. */
struct wait_weight wait_bill(struct thread_wait *thread, struct process_wait *process, uint64_t now_ns,
                             const struct schedstat *ran);

/* Bills a thread that is found running only the time that it waited for a CPU. Returns it. */
uint64_t wait_bill_queued(struct thread_wait *thread, struct process_wait *process, uint64_t now_ns,
                          const struct schedstat *ran);

/* Notes that a thread ends at NOW_NS: its life counts, once. */
void wait_end(struct thread_wait *thread, struct process_wait *process, uint64_t now_ns);

/* All threads of an image have ended and used CPU_NS. Returns the time that they lived without running, at least
 * what is billed. */
uint64_t wait_image(const struct process_wait *process, uint64_t cpu_ns);

/* How long after a look that took TOOK_NS of CPU time the next one may come: looking must not take more than its
 * share. */
uint64_t wait_scan_pause(uint64_t took_ns);

#endif
