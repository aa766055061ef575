/* SPDX-License-Identifier: MIT
 *
 * How much CPU time each thread has used, and how much of it samples already represent. Both are kept for each
 * thread: time seen grows at every look, time billed only with a sample. Pure. */
#ifndef MODEL_ACCOUNT_H
#define MODEL_ACCOUNT_H

#include "model/proctext.h"

#include <stdbool.h>
#include <stdint.h>

struct thread_account {
    struct schedstat seen; /* at the last look */
    uint64_t billed_ns;    /* of ran_ns */
    uint64_t sampled_ns;   /* ran_ns at the last sample */
    uint64_t usual_ns;     /* running time between two samples, about; 0 before the first */
    uint32_t quiet_looks;  /* looks in a row that found nothing new */
    uint64_t own_turns;    /* times that its CPU was, or will be, ours since the last look */
    uint64_t turns;        /* times that it was others', lately, */
    uint64_t turns_ran_ns; /* time the thread ran meanwhile */
};

struct process_account {
    uint64_t began_ns;     /* the process's CPU clock when its present image began */
    uint64_t billed_ns;    /* by samples, since then */
    uint64_t seen_ns;      /* the clock at the last look */
    uint64_t explained_ns; /* part of the clock's progress since the last full scan that looks at its threads have
                              explained */
    uint64_t scanned_ns;   /* the clock at the last full scan of its threads */
    uint64_t moved_at_ns;  /* monotonic time of the last look that found the clock moved */
    bool off;              /* its CPU time does not count */
    uint64_t off_ns;       /* the clock when that began */
};

/* Notes a look at a thread. Returns the time that it has run since the last look. */
uint64_t account_look(struct thread_account *thread, const struct schedstat *now);

/* The thread's CPU was taken for a tick, and the thread stopped. */
void account_taken(struct thread_account *thread);

/* True if other threads take this thread's CPU so often, for turns as short as one of our stops, that more than one
 * tick in a hundred would find another thread. */
bool account_is_interrupted(const struct thread_account *thread);

/* Bills the time that the thread has run, RAN_NS in total, to a sample, with one wanted each PERIOD_NS. Returns the
 * sample's weight: all time not billed yet. After an unusually long time without a sample, for example because the
 * machine gave us no CPU, one sample would represent far too much. Then the remainder goes to later samples, each of
 * which takes at most as much of it as its own time. */
uint64_t account_bill(struct thread_account *thread, struct process_account *process, uint64_t ran_ns,
                      uint64_t period_ns);

/* From the clock's CLOCK_NS on, what the process uses does not count; and counts again. */
void account_off(struct process_account *process, uint64_t clock_ns);
void account_on(struct process_account *process, uint64_t clock_ns);

/* The image ends when the process's clock stands at CLOCK_NS. Returns its CPU time, billed or not. The account then
 * describes a new image that begins here. */
uint64_t account_image(struct process_account *process, uint64_t clock_ns);

#endif
