/* SPDX-License-Identifier: MIT
 *
 * What becomes of imposed calls, told to the front, which keeps a copy of their buffers. */
#ifndef TRACER_IMPOSE_H
#define TRACER_IMPOSE_H

#include "tracer/tracer.h"

/* What the calls layer calls; OWNER is the tracer. */
void impose_look(void *owner, struct thread *thread);
void impose_told(void *owner, const struct process *process, const struct calls_imposition *what);
void impose_updated(void *owner, struct process *process, pid_t tid, const struct calls_update *update);

/* PROCESS begins the image that a fork made. */
void impose_forked(struct tracer *tracer, const struct process *process);

#endif
