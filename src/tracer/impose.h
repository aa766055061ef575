/* SPDX-License-Identifier: MIT
 *
 * What becomes of imposed calls, told to the front, which keeps a copy of their buffers. */
#ifndef TRACER_IMPOSE_H
#define TRACER_IMPOSE_H

#include "tracer/tracer.h"

/* Passes on what came of the last call into the calls layer, which was about THREAD or its process. */
void impose_tell(struct tracer *tracer, struct thread *thread);

/* THREAD, stopped, is about to begin the image that its process has by an exec: prepares the call that is imposed on
 * it, if one is. */
void impose_begin(struct tracer *tracer, struct thread *thread);

/* PROCESS begins the image that a fork made. */
void impose_forked(struct tracer *tracer, const struct process *process);

#endif
