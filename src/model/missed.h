/* SPDX-License-Identifier: MIT
 *
 * Why there are fewer samples than were due. Due is a sample for each period of CPU time. One that stands for
 * more than a period stands for others that were not taken; of whatever has kept the tracer from sampling
 * since the last sample of the thread, each gets its part of that. Pure. */
#ifndef MODEL_MISSED_H
#define MODEL_MISSED_H

#include "model/counters.h"

#include <stddef.h>
#include <stdint.h>

/* How often each has happened by now; MISSED_RATE never does. */
struct missed_events {
    uint64_t count[MISSED_REASONS];
};

/* How often each had when a thread was last sampled. */
struct thread_missed {
    struct missed_events seen;
};

/* A sample of THREAD stands for WEIGHT_NS when one was wanted each PERIOD_NS, and asked for each ASKED_NS.
 * Adds to NS the time that it stands for beyond that, or short of it, for each reason. */
void missed_bill(struct thread_missed *thread, const struct missed_events *now, uint64_t weight_ns, uint64_t period_ns,
                 uint64_t asked_ns, int64_t ns[MISSED_REASONS]);

/* NS of them in millionths of a sample, when one was asked for each ASKED_NS: a rate may change. */
int64_t missed_millionths(int64_t ns, uint64_t asked_ns);

/* Of DUE samples TAKEN were taken; PARTS, COUNT of them, tell for how many each reason can stand. Lowers them
 * so that they do not add up to more than are missing. */
void missed_fit(uint64_t due, uint64_t taken, uint64_t *parts, size_t count);

#endif
