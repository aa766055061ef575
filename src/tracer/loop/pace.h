/* SPDX-License-Identifier: MIT
 *
 * Lowers the requested rate in steps while the recording gets longer (model/rate.h). */
#ifndef LOOP_PACE_H
#define LOOP_PACE_H

#include <stdbool.h>
#include <stdint.h>

struct tracer;

struct pace {
    unsigned step;       /* the present step of the rate */
    uint64_t period_ns;  /* requested period at this step */
    uint64_t cpu_ns;     /* CPU time that the samples represent */
    uint64_t elapsed_ns; /* with waiting threads sampled: wall time during which samples were taken */
    uint64_t looked_ns;  /* monotonic time until which elapsed_ns counts; 0: samples were off */
};

void pace_begin(struct tracer *tracer);

/* Counts a sample that represents CPU_NS of its thread's CPU time and WAIT_NS of its waiting time. */
void pace_bill(struct tracer *tracer, uint64_t cpu_ns, uint64_t wait_ns);

/* Changes to the step for monotonic time NOW_NS. */
void pace_follow(struct tracer *tracer, uint64_t now_ns);

/* Call it when sampling is switched on or off. */
void pace_switch(struct tracer *tracer);

#endif
