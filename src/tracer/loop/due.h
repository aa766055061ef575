/* SPDX-License-Identifier: MIT
 *
 * Ticks of the emulated calls. Their deadlines are in each process's own CPU time, independent of the sampling rate.
 * They have their own looks, which capture nothing. */
#ifndef LOOP_DUE_H
#define LOOP_DUE_H

#include <stdint.h>

struct tracer;

/* The running threads have been found: remembers, for each process with an active call, on which CPU to look for it. */
void due_found(struct tracer *tracer);

/* Looks at all CPUs, if its deadline has come. NOW_NS is monotonic. */
void due_look(struct tracer *tracer, uint64_t now_ns);

/* Plans the next look if a call is active: on the CPU where its thread is expected, or on all CPUs. */
void due_plan_look(struct tracer *tracer);

#endif
