/* SPDX-License-Identifier: MIT
 *
 * How many samples are wanted per second. A fixed rate does not change. The automatic rate is high at first, so that
 * a short run has enough samples, and falls in steps, so that a long run costs little. A step ends after a certain
 * sampled time, which is the CPU time of all threads together. Many threads therefore reach it sooner, and get as
 * many samples as one thread that runs as long as all of them. Samples are weighted by time, so rates can be mixed.
 * Pure. */
#ifndef MODEL_RATE_H
#define MODEL_RATE_H

#include <stdatomic.h>
#include <stdint.h>

/* Steps of a rate. */
enum { RATE_STEPS = 4 };

struct rate_counts {
    _Atomic uint64_t began_ns;   /* monotonic time at which the step began; 0: not begun, or the first step */
    _Atomic uint64_t sampled_ns; /* time that the samples of the step represent */
};

/* The automatic rate, in place of a fixed rate in Hz. */
enum { RATE_AUTO = 0 };

/* Return the rate in Hz, and the period in nanoseconds, of STEP (0 to RATE_STEPS - 1) of RATE. A fixed rate has only
 * step 0. */
uint32_t rate_hz(uint32_t rate, unsigned step);
uint64_t rate_period_ns(uint32_t rate, unsigned step);

/* Returns the step of RATE after SAMPLED_NS of sampled time. */
unsigned rate_step(uint32_t rate, uint64_t sampled_ns);

/* Returns the mean of RATE in Hz over a recording with SAMPLED_NS in each step: samples due divided by time. Without
 * sampled time, returns the first step's rate. */
double rate_mean(uint32_t rate, const uint64_t sampled_ns[RATE_STEPS]);

#endif
