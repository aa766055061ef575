/* SPDX-License-Identifier: MIT
 *
 * How much CPU time each thread has used, and how much of it samples represent. The time used is updated at every look,
 * the time billed only by a sample. Pure. */
#ifndef MODEL_ACCOUNT_H
#define MODEL_ACCOUNT_H

#include "common/model/proctext.h"

#include <stdbool.h>
#include <stdint.h>

struct thread_account {
    struct schedstat seen;    /* CPU time and arrivals at the last look */
    uint64_t billed_ns;       /* part of ran_ns that is billed */
    uint64_t sampled_ns;      /* ran_ns at the last sample */
    uint64_t usual_ns;        /* usual CPU time between two samples; 0 before the first */
    uint32_t quiet_looks;     /* looks in a row without a change */
    uint64_t own_turns;       /* times since the last look that our threads took its CPU, or will take it */
    uint64_t turns;           /* times lately that other threads took its CPU, */
    uint64_t turns_ran_ns;    /* and the time that the thread ran during that */
    uint64_t resumed_ns;      /* monotonic time at which it was resumed after a stop; 0: never */
    uint64_t resumed_busy_ns; /* the time that it had run or waited for a CPU until then */
};

struct process_account {
    uint64_t began_ns;     /* the process's CPU clock at the beginning of its present image */
    uint64_t billed_ns;    /* billed by samples since then */
    uint64_t seen_ns;      /* the clock at the last look */
    uint64_t explained_ns; /* part of the clock's progress since the last full scan that looks at threads explain */
    uint64_t scanned_ns;   /* the clock at the last full scan of its threads */
    uint64_t moved_at_ns;  /* monotonic time of the last look that found the clock moved */
    bool off;              /* its CPU time does not count now */
    uint64_t off_ns;       /* the clock at that time */
};

/* Notes a look at a thread. Returns the time that it has run since the last look. */
uint64_t account_look(struct thread_account *thread, const struct schedstat *now);

/* Notes that the thread's CPU was taken for a tick, and that the thread stopped. */
void account_taken(struct thread_account *thread);

/* Returns true if other threads take this thread's CPU so often, for turns as short as our stops, that more than one
 * tick in a hundred would find another thread. */
bool account_is_interrupted(const struct thread_account *thread);

/* The thread is resumed at monotonic time RESUMED_NS, after a stop at which its counts were looked at. */
void account_resumed(struct thread_account *thread, uint64_t resumed_ns);

/* Returns how much of the time since the thread was last resumed, until monotonic time UNTIL_NS, its counts NOW do not
 * explain: it neither ran nor waited for a CPU. ACCOUNT_UNKNOWN: it has not been resumed. The kernel counts a turn on a
 * CPU, and a wait for one, when it ends. So only a thread that has just lost its CPU, and has not slept, lacks no
 * more than the time of a resumption and a switch. A thread that runs, waits or sleeps at UNTIL_NS lacks more. */
#define ACCOUNT_UNKNOWN INT64_MAX
int64_t account_unexplained(const struct thread_account *thread, const struct schedstat *now, uint64_t until_ns);

/* Returns true if a thread that lacks UNEXPLAINED_NS has just lost its CPU. USUAL_NS: learned from such threads. */
bool account_has_lost_cpu(int64_t unexplained_ns, uint64_t usual_ns);

/* A thread that certainly had lost its CPU lacked UNEXPLAINED_NS: *USUAL_NS approaches what one in eight stays below.
 * (Many may have slept before.) */
void account_learn(uint64_t *usual_ns, int64_t unexplained_ns);

/* Bills the CPU time of a thread, RAN_NS in total, to a sample. PERIOD_NS: wanted time between samples. Returns the
 * sample's weight: all time not billed yet. After an unusually long time without a sample, for example because the
 * machine gave us no CPU, one sample would represent far too much. Then the remainder goes to later samples, each of
 * which takes at most as much of it as its own time. */
uint64_t account_bill(struct thread_account *thread, struct process_account *process, uint64_t ran_ns,
                      uint64_t period_ns);

/* Stop and restart counting the CPU time of a process, at CLOCK_NS of its clock. */
void account_off(struct process_account *process, uint64_t clock_ns);
void account_on(struct process_account *process, uint64_t clock_ns);

/* The image ends at CLOCK_NS of the process's clock. Returns its CPU time, billed or not. Afterwards, the account
 * describes a new image that begins here. */
uint64_t account_image(struct process_account *process, uint64_t clock_ns);

#endif
