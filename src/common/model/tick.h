/* SPDX-License-Identifier: MIT
 *
 * Chooses one uniformly random time in each period to look at threads, so that no program's own rhythm can hide from
 * it. Lowers the rate if looking costs the program too much. Pure. */
#ifndef MODEL_TICK_H
#define MODEL_TICK_H

#include <stdbool.h>
#include <stdint.h>

struct tick_schedule {
    uint64_t period_ns;
    uint64_t start_ns; /* beginning of the present period */
    uint64_t random;   /* state of the random generator */
};

/* Begins at NOW with PERIOD_NS. SEED may be any number. */
void tick_start(struct tick_schedule *schedule, uint64_t now_ns, uint64_t period_ns, uint64_t seed);

/* Returns the next time to look. It is in the first period that begins at or after NOW. If NOW is in the period after
 * the last look, it is in that period. Skipped periods are counted in *SKIPPED. */
uint64_t tick_next(struct tick_schedule *schedule, uint64_t now_ns, uint64_t *skipped);

/* Extends the present period by PAUSE_NS, during which a stop let nothing run. */
void tick_pause(struct tick_schedule *schedule, uint64_t pause_ns);

/* Returns a random number below LIMIT, from the schedule's generator. */
uint64_t tick_random(struct tick_schedule *schedule, uint64_t limit);

/* How late this machine's wake-ups are. Zero it, or call tick_begin. */
struct tick_lateness {
    uint64_t typical_ns; /* delay caused only by the timer and the thread switch: about the 33rd percentile */
    uint64_t least_ns;   /* about the 5th percentile */
    bool known;
};

/* Sets the least delay of a few wake-ups. */
void tick_begin(struct tick_lateness *usual, uint64_t least_ns);

/* Judges a wake-up that came LATE_NS after its deadline, and learns from it. A wake-up much later than is typical
 * was delayed by the scheduler. Returns true if this one was not. */
bool tick_on_time(struct tick_lateness *usual, int64_t late_ns);

/* The overhead limit: returns the next period. In the last window, at PERIOD_NS, stops took PAUSED_NS of RUNNING_NS of
 * CPU time. At most PERCENT may be taken (0: no limit). Never returns less than ASKED_NS. */
uint64_t tick_throttle(uint64_t period_ns, uint64_t asked_ns, uint64_t paused_ns, uint64_t running_ns,
                       unsigned percent);

#endif
