/* SPDX-License-Identifier: MIT
 *
 * Brings tracees to locations where they can be detached, before the tracer ends. */
#ifndef LOOP_SETTLE_H
#define LOOP_SETTLE_H

struct thread;
struct tracer;

/* Ends the sampling and the emulated calls: removes the breakpoints, and makes sure that no thread is at one. */
void settle_all(struct tracer *tracer);

/* Handles a stop of THREAD during that. The stop shows its location. Until the location is safe, another stop is
 * awaited. */
void settle_stopped(struct tracer *tracer, struct thread *thread);

/* THREAD, of a known process, is new and has not run yet. It is settled if all breakpoints have been removed. */
void settle_born(const struct tracer *tracer, struct thread *thread);

/* The last step: waits, without limit, for frozen threads that would be harmed without a tracer. */
void settle_stragglers(struct tracer *tracer);

/* Waits a limited time for threads that transfer a remainder, as long as they make progress and no second request to
 * end comes. After that, makes the others end with the count so far. */
void settle_remainders(struct tracer *tracer);

/* Answers the last events. Call it last before tracing ends. */
void settle_last(struct tracer *tracer);

#endif
