/* SPDX-License-Identifier: MIT
 *
 * The rate that is asked for, as the recording gets long (model/rate.h). */
#ifndef TRACER_PACE_H
#define TRACER_PACE_H

#include <stdbool.h>
#include <stdint.h>

struct tracer;

struct pace {
    unsigned step;       /* of the rate, that holds now */
    uint64_t period_ns;  /* that is asked for, by this step */
    uint64_t cpu_ns;     /* that samples stand for */
    uint64_t elapsed_ns; /* wall time during which samples were taken, where waiting threads are sampled */
    uint64_t looked_ns;  /* monotonic time up to which it is known; 0: samples were off */
};

void pace_begin(struct tracer *tracer);

/* A sample stands for CPU_NS of its thread's running, and WAIT_NS of its waiting. */
void pace_bill(struct tracer *tracer, uint64_t cpu_ns, uint64_t wait_ns);

/* At monotonic time NOW_NS: goes on to the step that holds by now. */
void pace_follow(struct tracer *tracer, uint64_t now_ns);

/* Samples will be taken, or not any more. */
void pace_switch(struct tracer *tracer);

#endif
