/* SPDX-License-Identifier: MIT
 *
 * How many samples a second are asked for. A fixed rate stays as it is. The automatic rate is high at first, so that a
 * run of a moment has enough samples, and falls in steps, so that a long one costs little. A step ends after so much
 * sampled time: CPU time of all threads together, so that many threads reach it sooner, and their number of samples
 * is that of one thread which runs as long as all of them. Samples are weighted by time, so rates mix. Pure. */
#ifndef MODEL_RATE_H
#define MODEL_RATE_H

#include "model/counters.h"

#include <stdint.h>

/* Stands for the automatic rate where a fixed one, in Hz, is expected. */
enum { RATE_AUTO = 0 };

/* The rate in Hz, and the period in nanoseconds, of STEP, from 0 to RATE_STEPS - 1, of RATE: a fixed one has only step
 * 0. */
uint32_t rate_hz(uint32_t rate, unsigned step);
uint64_t rate_period_ns(uint32_t rate, unsigned step);

/* The step of RATE that holds after SAMPLED_NS of sampled time. */
unsigned rate_step(uint32_t rate, uint64_t sampled_ns);

/* The mean of RATE in Hz over a recording that sampled so much time in each step: its samples that were due, divided by
 * its time. Without sampled time it is the first step's rate. */
double rate_mean(uint32_t rate, const uint64_t sampled_ns[RATE_STEPS]);

#endif
