/* SPDX-License-Identifier: MIT
 *
 * Threads that wait, seen without stopping them: where the kernel says that they are, and a copy of their stack. A
 * thread that has not run since it was last seen waiting is where it was: it is not looked at again, and a process
 * whose CPU clock stands still costs one read of that. */
#ifndef TRACER_WAITS_H
#define TRACER_WAITS_H

#include "tracer/tracer.h"

/* Looks at all threads that may wait, unless the last look, which took long, was too short a time ago. */
void waits_look(struct tracer *tracer);

/* Tells the front how long threads have waited up to the last look. */
void waits_tell(struct tracer *tracer);

/* THREAD has ended, or is about to. */
void waits_thread_ends(struct tracer *tracer, struct thread *thread);

/* The image of PROCESS, which used CPU_NS, ends, or is let go. Returns how long its threads lived without running. */
uint64_t waits_image_ends(struct tracer *tracer, struct process *process, uint64_t cpu_ns);

#endif
