/* SPDX-License-Identifier: MIT
 *
 * Reasons why fewer samples were taken than were due (one for each period of CPU time). A sample that represents more
 * than a period replaces missed samples. Each obstacle since the thread's last sample gets its share of them. Pure. */
#ifndef MODEL_MISSED_H
#define MODEL_MISSED_H

#include <stddef.h>
#include <stdint.h>

/* Reasons why the tracer missed samples. */
enum missed_reason {
    MISSED_WAITING,   /* the thread was waiting for a CPU at the time of its sample */
    MISSED_LATE,      /* the tracer got a CPU too late */
    MISSED_AMBIGUOUS, /* several threads could have had the CPU, and it is unknown which one did */
    MISSED_ELSEWHERE, /* threads ran on CPUs that were not examined */
    MISSED_STOP,      /* a thread did not stop at once */
    MISSED_RATE,      /* the overhead limit had lowered the rate */
    MISSED_FULL,      /* the sample was taken, but there was no room for it: counted singly */
    MISSED_REASONS
};

/* How often each reason has occurred so far. MISSED_RATE never occurs here. */
struct missed_events {
    uint64_t count[MISSED_REASONS];
};

/* The same when a thread was last sampled. */
struct thread_missed {
    struct missed_events seen;
};

/* THREAD is sampled, with a weight of WEIGHT_NS. PERIOD_NS: wanted time between samples; ASKED_NS: time between samples
 * that the user requested. Adds the difference to NS, by reason. */
void missed_bill(struct thread_missed *thread, const struct missed_events *now, uint64_t weight_ns, uint64_t period_ns,
                 uint64_t asked_ns, int64_t ns[MISSED_REASONS]);

/* Converts NS of missed time to millionths of a sample, one for each ASKED_NS. (The rate may change.) */
int64_t missed_millionths(int64_t ns, uint64_t asked_ns);

/* TAKEN of DUE samples were taken. Each of the COUNT PARTS is the maximum number of missed samples that a reason
 * explains. Lowers the parts so that their sum does not exceed the number of missed samples. */
void missed_fit(uint64_t due, uint64_t taken, uint64_t *parts, size_t count);

#endif
