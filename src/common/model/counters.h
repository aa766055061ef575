/* SPDX-License-Identifier: MIT
 *
 * The tracer's counters, in memory that the front can read even after the tracer has died. */
#ifndef MODEL_COUNTERS_H
#define MODEL_COUNTERS_H

#include "common/base/quantile.h"
#include "common/model/missed.h"
#include "common/model/quality.h"
#include "common/model/rate.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct tracer_counts {
#define COUNTER(name, number, key, text) _Atomic uint64_t name;
    TRACER_COUNTERS(COUNTER)
#undef COUNTER
    _Atomic uint64_t samples, lost_messages;
    _Atomic uint64_t remote;                /* samples from CPUs that our threads may not use */
    _Atomic bool outranked;                 /* a tracee ran before us, because its real-time priority is as high */
    _Atomic int64_t missed[MISSED_REASONS]; /* millionths of a sample, see missed_bill */
    _Atomic uint64_t longest_period_ns;     /* set by the overhead limit; 0: never */
    _Atomic uint64_t queued_ns;             /* time that threads were seen to wait for a CPU */
    struct rate_counts rates[RATE_STEPS];
    _Atomic uint32_t processes;   /* traced now */
    _Atomic uint32_t unreachable; /* children that could not be followed */
    _Atomic uint32_t unstopped;   /* threads that waited in the kernel at the end, and did not stop */
    struct quantile pauses;
};

/* Counts for the calls profil, sprofil and pcsample. */
struct calls_counts {
    _Atomic uint64_t served;     /* calls */
    _Atomic uint64_t planted;    /* bytes, ever */
    _Atomic uint64_t ticks;      /* billed */
    _Atomic uint64_t unanswered; /* programs that ran before the front had found the calls, or without */
    _Atomic uint64_t late;       /* ticks found too late to know where they fell; not billed */
};

#endif
