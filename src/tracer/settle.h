/* SPDX-License-Identifier: MIT
 *
 * Brings tracees to where they can be detached, before the tracer ends. */
#ifndef TRACER_SETTLE_H
#define TRACER_SETTLE_H

#include "tracer/tracer.h"

/* Ends the sampling and the emulated calls: removes the breakpoints, and makes sure that no thread stands on one. */
void settle_all(struct tracer *tracer);

/* During that, THREAD has stopped for any reason. The stop shows where it stands; until its location is safe,
 * another stop is awaited. */
void settle_stopped(struct tracer *tracer, struct thread *thread);

/* THREAD, of a known process, is new and has not run yet. If all breakpoints have been removed, it is settled. */
void settle_born(const struct tracer *tracer, struct thread *thread);

/* The last step: waits, without limit, for frozen threads that would be harmed without a tracer. */
void settle_stragglers(struct tracer *tracer);

/* Waits for threads that transfer a remainder: for a limited time, while they make progress and nobody asks for the
 * end again. After that, makes the others end with what they have. */
void settle_remainders(struct tracer *tracer);

/* Answers the last events, as the last thing before tracing ends. */
void settle_last(struct tracer *tracer);

#endif
