/* SPDX-License-Identifier: MIT
 *
 * Why fewer samples were taken than were due, which is one for each period of CPU time. A sample that represents
 * more than a period replaces others that were not taken. Each obstacle since the thread's last sample gets its
 * share of these. Pure. */
#ifndef MODEL_MISSED_H
#define MODEL_MISSED_H

#include "model/counters.h"

#include <stddef.h>
#include <stdint.h>

/* How often each reason has occurred so far; MISSED_RATE never does. */
struct missed_events {
    uint64_t count[MISSED_REASONS];
};

/* How often each had occurred when a thread was last sampled. */
struct thread_missed {
    struct missed_events seen;
};

/* A sample of THREAD represents WEIGHT_NS when one was wanted each PERIOD_NS, and asked for each ASKED_NS.
 * Adds the difference to NS, by reason. */
void missed_bill(struct thread_missed *thread, const struct missed_events *now, uint64_t weight_ns, uint64_t period_ns,
                 uint64_t asked_ns, int64_t ns[MISSED_REASONS]);

/* NS of them in millionths of a sample, when one was asked for each ASKED_NS: a rate may change. */
int64_t missed_millionths(int64_t ns, uint64_t asked_ns);

/* TAKEN of DUE samples were taken. Each of the COUNT PARTS is the number of missed samples that a reason can explain
 * at most. Lowers the parts so that their sum does not exceed the number of missed samples. */
void missed_fit(uint64_t due, uint64_t taken, uint64_t *parts, size_t count);

#endif
