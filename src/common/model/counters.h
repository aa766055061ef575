/* SPDX-License-Identifier: MIT
 *
 * The tracer's counters, in memory that the front can read even after the tracer has died. QUALITY_COUNTERS lists
 * those that say how good a profile is. From this list come the members of struct profile_quality, their sums over
 * several profiles, their fields in stored profiles and JSON, and their texts in the summary. */
#ifndef MODEL_COUNTERS_H
#define MODEL_COUNTERS_H

#include "common/base/quantile.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* COUNTER(NAME, NUMBER, KEY, TEXT): NUMBER is its field in stored profiles, where a number is never reused (the other
 * fields are in stored/pprof_format.c). KEY is its name in JSON. TEXT is what the summary prints behind the count. KEY
 * and TEXT are "" for a counter that does not count missed samples.
 *
 * The first counters are of samples that were due and not taken, in the order of enum missed_reason. The tracer
 * counts the time that each reason explains, and the front converts this to samples. */
#define MISSED_COUNTERS(COUNTER)                                                                                       \
    COUNTER(lost_waiting, 7, "thread_waited_for_cpu", "skipped (thread waited for a CPU)")                             \
    COUNTER(lost_late, 8, "tracer_late", "skipped (the tracer got its CPU too late)")                                  \
    COUNTER(lost_ambiguous, 17, "thread_not_known", "skipped (unknown which thread had the CPU)")                      \
    COUNTER(lost_elsewhere, 18, "thread_on_other_cpu", "skipped (threads ran on a CPU without a timer)")               \
    COUNTER(lost_stop, 19, "thread_stopped_late", "skipped (a thread did not stop in time)")                           \
    COUNTER(lost_rate, 20, "rate_lowered", "skipped (the rate fell)")

/* Events that the tracer counts singly, in the member of struct tracer_counts with this name. */
#define TRACER_COUNTERS(COUNTER)                                                                                       \
    COUNTER(put_off, 16, "looks_put_off", "scans of waiting threads skipped (the scans before took too long)")         \
    COUNTER(lost_full, 6, "buffer_full", "lost (buffer full)")                                                         \
    COUNTER(stops, 9, "", "")

/* All counters of a profile. */
#define QUALITY_COUNTERS(COUNTER)                                                                                      \
    MISSED_COUNTERS(COUNTER)                                                                                           \
    COUNTER(lost_unsampled, 21, "too_short", "skipped (processes and threads too short)")                              \
    TRACER_COUNTERS(COUNTER)

/* Reasons why the tracer missed samples, see model/missed.h. */
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

#define ONE(name, number, key, text) +1
_Static_assert(0 MISSED_COUNTERS(ONE) == MISSED_FULL, "each reason but the last has a counter, in the same order");
#undef ONE

/* Steps of a rate, see model/rate.h. */
enum { RATE_STEPS = 4 };

struct rate_counts {
    _Atomic uint64_t began_ns;   /* monotonic time at which the step began; 0: not begun, or the first step */
    _Atomic uint64_t sampled_ns; /* time that the samples of the step represent */
};

struct tracer_counts {
#define COUNTER(name, number, key, text) _Atomic uint64_t name;
    TRACER_COUNTERS(COUNTER)
#undef COUNTER
    _Atomic uint64_t samples, lost_messages;
    _Atomic uint64_t remote;                /* samples from CPUs that our threads may not use */
    _Atomic bool outranked;                 /* a tracee ran before us, because its real-time priority is as high */
    _Atomic int64_t missed[MISSED_REASONS]; /* millionths of a sample, see missed_bill */
    _Atomic uint64_t longest_period_ns;     /* set by the overhead limit; 0: never */
    struct rate_counts rates[RATE_STEPS];
    _Atomic uint32_t processes;   /* traced now */
    _Atomic uint32_t unreachable; /* children that could not be followed */
    _Atomic uint32_t unstopped;   /* threads that waited in the kernel at the end, and did not stop */
    struct quantile pauses;
};

/* Counts for the calls profil, sprofil and pcsample. */
struct calls_counts {
    _Atomic uint64_t served;  /* calls */
    _Atomic uint64_t planted; /* bytes, ever */
    _Atomic uint64_t ticks;   /* billed */
    _Atomic uint64_t late;    /* ticks found too late to know where they fell; not billed */
};

#endif
