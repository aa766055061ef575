/* SPDX-License-Identifier: MIT
 *
 * Before the tracer ends: tracees are brought to where they can be let go. */
#ifndef TRACER_SETTLE_H
#define TRACER_SETTLE_H

#include "tracer/tracer.h"

/* Ends the sampling and the calls: puts back what is planted, and sees to it that nobody stands on it. */
void settle_all(struct tracer *tracer);

/* Meanwhile a stop, whatever it is for, only shows where THREAD stands. Until it stands well, its next stop is waited
 * for. */
void settle_stopped(struct tracer *tracer, struct thread *thread);

/* THREAD, of a process that is known, has been made, and has not run yet: where everything is back, it meets nothing of
 * ours. */
void settle_born(const struct tracer *tracer, struct thread *thread);

/* Last of all: waits, without a bound, for frozen threads that would come to harm without a tracer. */
void settle_stragglers(struct tracer *tracer);

/* Waits for threads that make the rest of a transfer, for a bounded time, as long as they proceed and nobody asks for
 * the end again. The others then end it with what they have. */
void settle_rests(struct tracer *tracer);

#endif
