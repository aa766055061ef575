/* SPDX-License-Identifier: MIT
 *
 * Samples of a thread each represent the CPU time that it used since the one before. Where other programs compete for
 * the CPUs, these times differ by chance: a sample that comes after a gap would represent many periods, and the next
 * one for hardly any, and what they show would get shares to match. Neighbours are levelled: a sample gets about as
 * much as samples usually represent, and what is more than that goes to those before it that have less, and to those
 * after it. No time is lost, and none is made up. Pure. */
#ifndef MODEL_LEVEL_H
#define MODEL_LEVEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LEVEL_PAST = 8 /* earlier samples whose weight can still grow */ };

/* Time that goes to a sample of the past: its number, and when it was taken. */
struct level_part {
    uint32_t sample;
    uint64_t time_ns, ns;
};

/* The state of one thread. Zero it before the first use. */
struct level {
    struct level_part past[LEVEL_PAST]; /* their present weights; once full, the oldest is at NEXT */
    unsigned count, next;
    unsigned samples;  /* there have been, of the first ones */
    uint64_t usual_ns; /* weight of a typical sample */
    uint64_t pool_ns;  /* time that no sample has received yet */
};

/* A sample is taken at TIME_NS (monotonic) that represents WEIGHT_NS; OWN_NS of this (at most all) stays its own.
 * One was wanted each PERIOD_NS. Returns how much of the remainder and of the pool the sample gets. The *COUNT PARTS
 * are what earlier samples get. */
uint64_t level_sample(struct level *level, uint64_t weight_ns, uint64_t own_ns, uint64_t period_ns, uint64_t time_ns,
                      struct level_part parts[LEVEL_PAST], size_t *count);

/* The sample that was taken at TIME_NS has the number SAMPLE, and has been given NS in all. */
void level_given(struct level *level, uint32_t sample, uint64_t time_ns, uint64_t ns);

/* No more samples near these will follow: the pool goes to the last samples. Returns and sets PARTS as level_sample
 * does. */
size_t level_end(struct level *level, struct level_part parts[LEVEL_PAST]);

/* Returns the part of a sample's weight that is not shared with its neighbours. Its CPU could not be taken until
 * LATE_NS after its tick: a kernel that does not preempt system calls was in one for all this time. */
uint64_t level_own(bool in_call, uint64_t late_ns);

#endif
