/* SPDX-License-Identifier: MIT
 *
 * The counters that say how good a profile is. From the list QUALITY_COUNTERS come their sums over several profiles,
 * their fields in stored profiles and JSON, and their texts in the summary. struct profile_quality has them as an array
 * with these numbers, so that a new counter changes only the files that use the list. */
#ifndef MODEL_QUALITY_H
#define MODEL_QUALITY_H

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
    COUNTER(lost_crowd, 34, "too_many_threads", "skipped (too many threads to know which one had the CPU)")            \
    COUNTER(put_off, 16, "looks_put_off", "scans of waiting threads skipped (the scans before took too long)")         \
    COUNTER(lost_full, 6, "buffer_full", "lost (buffer full)")                                                         \
    COUNTER(rides, 33, "on_tracers_cpu", "taken by the tracer on its own CPU")                                         \
    COUNTER(guessed, 32, "page_faults_estimated", "with an estimated part in page faults")                             \
    COUNTER(stops, 9, "", "")

/* All counters of a profile. */
#define QUALITY_COUNTERS(COUNTER)                                                                                      \
    MISSED_COUNTERS(COUNTER)                                                                                           \
    COUNTER(lost_unsampled, 21, "too_short", "skipped (short processes, ends of threads)")                             \
    TRACER_COUNTERS(COUNTER)

/* Numbers of the counters: QUALITY_lost_waiting, and so on. */
enum quality_counter {
#define COUNTER(name, number, key, text) QUALITY_##name,
    QUALITY_COUNTERS(COUNTER)
#undef COUNTER
        QUALITY_COUNTER_COUNT
};

#endif
