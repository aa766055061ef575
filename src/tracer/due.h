/* SPDX-License-Identifier: MIT
 *
 * Ticks of the calls. They come at instants of the processes' own times, whatever the record's rate is, and want looks
 * of their own: nothing is captured at these. */
#ifndef TRACER_DUE_H
#define TRACER_DUE_H

#include "tracer/tracer.h"

/* The threads that run have been found: notes for each process that has an active call on which CPU to look for it. */
void due_found(struct tracer *tracer);

/* Looks everywhere, if that is due. NOW_NS is monotonic. */
void due_look(struct tracer *tracer, uint64_t now_ns);

/* Plans the next look, if any call is active: on the CPU where its thread is expected, or everywhere. */
void due_plan_look(struct tracer *tracer);

#endif
