/* SPDX-License-Identifier: MIT
 *
 * One tick: choose, stop, capture, let go. */
#ifndef TRACER_SAMPLE_H
#define TRACER_SAMPLE_H

#include "tracer/tracer.h"

/* Serves a tick that was to wake us at monotonic time INSTANT_NS. */
void sample_tick(struct tracer *tracer, uint64_t instant_ns);

/* The first call that wants ticks may want the next one earlier than the record does. */
void sample_follow_calls(struct tracer *tracer);

/* Called by follow when a thread has stopped that was asked to: takes the capture; and before any thread is resumed. */
void sample_stopped(void *tracer, struct thread *thread);
void sample_resuming(void *tracer, pid_t tid);

#endif
