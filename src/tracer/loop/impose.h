/* SPDX-License-Identifier: MIT
 *
 * Reports imposed calls to the front, which keeps a copy of their buffers. */
#ifndef LOOP_IMPOSE_H
#define LOOP_IMPOSE_H

struct process;
struct thread;
struct tracer;

/* Reports the effect of the last call into the calls layer, which was about THREAD or its process. */
void impose_tell(struct tracer *tracer, struct thread *thread);

/* Stopped THREAD is about to begin a new image after an exec: prepares the call that is imposed on it, if any. */
void impose_begin(struct tracer *tracer, struct thread *thread);

/* PROCESS begins the image that a fork made: reports a call that it inherited. */
void impose_forked(struct tracer *tracer, const struct process *process);

#endif
