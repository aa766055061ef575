/* SPDX-License-Identifier: MIT
 *
 * Levels the weights of samples. Each sample of a thread represents the CPU time that the thread used since the last
 * sample. If other programs compete for the CPUs, these times differ by chance. A sample after a gap would represent
 * many periods, and the next one hardly any. Their stacks would then get wrong shares. So a sample gets about the usual
 * weight. The excess goes to earlier samples that have less, and to later ones. No time is lost or invented. Pure. */
#ifndef MODEL_LEVEL_H
#define MODEL_LEVEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In the place of OWN_NS: the weight is the sample's own, and the sample is no neighbour of others. */
#define LEVEL_ALONE UINT64_MAX

enum { LEVEL_PAST = 8 /* earlier samples whose weight can still grow */ };

/* Time that an earlier sample receives: its number, and when it was taken. */
struct level_part {
    uint32_t sample;
    uint64_t time_ns, ns;
};

/* The state of one thread. Zero it before the first use. */
struct level {
    struct level_part past[LEVEL_PAST]; /* their present weights; if full, the oldest is at NEXT */
    unsigned count, next;
    unsigned samples;  /* there have been at least this many, counting the first ones only */
    uint64_t usual_ns; /* samples so far, counted only at first */
    uint64_t pool_ns;  /* time that no sample has received yet */
};

/* Adds a sample taken at monotonic time TIME_NS that represents WEIGHT_NS, of which OWN_NS (at most all) stays its own.
 * PERIOD_NS: wanted time between samples. Returns how much of the remainder and of the pool the sample gets. Sets the
 * *COUNT PARTS to what earlier samples get. */
uint64_t level_sample(struct level *level, uint64_t weight_ns, uint64_t own_ns, uint64_t period_ns, uint64_t time_ns,
                      struct level_part parts[LEVEL_PAST], size_t *count);

/* Stores the number SAMPLE of the sample taken at TIME_NS, and the NS that it was given in all. */
void level_given(struct level *level, uint32_t sample, uint64_t time_ns, uint64_t ns);

/* Ends levelling near these samples: the pool goes to the last samples. Returns and sets PARTS as level_sample does. */
size_t level_end(struct level *level, struct level_part parts[LEVEL_PAST]);

/* Returns the part of a sample's weight that is not shared with its neighbours. LATE_NS: delay until its CPU could be
 * taken. A kernel that does not preempt system calls was in one for all this time. */
uint64_t level_own(bool in_call, uint64_t late_ns);

#endif
