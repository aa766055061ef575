/* SPDX-License-Identifier: MIT
 *
 * When to look: one uniformly random instant in each period, so that no program's own rhythm can hide from it. And how
 * far to slow down when looking costs the program too much. Pure. */
#ifndef MODEL_TICK_H
#define MODEL_TICK_H

#include <stdbool.h>
#include <stdint.h>

struct tick_schedule {
    uint64_t period_ns;
    uint64_t start_ns; /* where the present period begins */
    uint64_t random;   /* state of the generator */
};

/* Begins at NOW with PERIOD_NS; SEED may be any number. */
void tick_start(struct tick_schedule *schedule, uint64_t now_ns, uint64_t period_ns, uint64_t seed);

/* The next instant: in the first period that begins at or after NOW, or, if NOW is inside the period after the last
 * one, in that. Periods that NOW has left behind are skipped and counted in *SKIPPED. */
uint64_t tick_next(struct tick_schedule *schedule, uint64_t now_ns, uint64_t *skipped);

/* Nothing ran for PAUSE_NS of the present period because of a stop: extends the period by this time. */
void tick_pause(struct tick_schedule *schedule, uint64_t pause_ns);

/* A random number below LIMIT, from the schedule's generator. */
uint64_t tick_random(struct tick_schedule *schedule, uint64_t limit);

/* How late this machine's wake-ups are. Starts as zeros, or by tick_begin. */
struct tick_lateness {
    uint64_t typical_ns; /* lateness from the timer and the thread switch alone: about the 33rd percentile */
    uint64_t least_ns;   /* about the 5th percentile */
    bool known;
};

/* The least of a few wake-ups was late by LEAST_NS. */
void tick_begin(struct tick_lateness *usual, uint64_t least_ns);

/* Judges a wake-up that came LATE_NS after its deadline, and learns from it. A wake-up much later than is typical
 * was delayed by the scheduler. Returns true if this one was not. */
bool tick_on_time(struct tick_lateness *usual, int64_t late_ns);

/* The safety valve: returns the period to go on with, given that over the last window stops took PAUSED_NS of
 * RUNNING_NS of CPU time at PERIOD_NS, when at most PERCENT (0: no limit) may be taken. Never below ASKED_NS. */
uint64_t tick_throttle(uint64_t period_ns, uint64_t asked_ns, uint64_t paused_ns, uint64_t running_ns,
                       unsigned percent);

#endif
