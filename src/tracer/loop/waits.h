/* SPDX-License-Identifier: MIT
 *
 * Samples waiting threads without stopping them: location from /proc, and a copy of the stack. A thread that has not
 * run since it was last seen waiting is still there, and is skipped. A process with an unchanged CPU clock costs one
 * read of that clock. */
#ifndef LOOP_WAITS_H
#define LOOP_WAITS_H

#include <stdint.h>

struct blocked;
struct message_capture;
struct process;
struct schedstat;
struct thread;
struct tracer;

/* Looks at all threads that may wait. Does nothing soon after a look that took long. */
void waits_look(struct tracer *tracer);

/* If THREAD waits, the next look captures it again, because more of it can be copied now. NULL: it has ended. */
void waits_look_again(struct tracer *tracer, struct thread *thread);

/* Begins to watch THREAD, with the counts RAN, at NOW_NS, if waiting threads are sampled. */
void waits_begin(const struct tracer *tracer, struct thread *thread, uint64_t now_ns, const struct schedstat *ran);

/* Reports to the front how long threads have waited up to the last look. */
void waits_tell(struct tracer *tracer);

/* Begins a capture of THREAD, which waits at WHERE, as sample_reserve does. Returns NULL also if the thread has run
 * since *SEEN, because the copy may then mix two times. *SEEN becomes its present schedstat. */
struct message_capture *waits_copy(struct tracer *tracer, struct thread *thread, const struct blocked *where,
                                   struct schedstat *seen);

/* Call it when THREAD has ended, or is about to. */
void waits_thread_ends(struct tracer *tracer, struct thread *thread);

/* The image of PROCESS, which used CPU_NS, ends or is detached. Returns how long its threads lived without running,
 * in nanoseconds. */
uint64_t waits_image_ends(struct tracer *tracer, struct process *process, uint64_t cpu_ns);

#endif
