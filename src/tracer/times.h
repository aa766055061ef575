/* SPDX-License-Identifier: MIT
 *
 * What of the samples is system time outside of system calls. */
#ifndef TRACER_TIMES_H
#define TRACER_TIMES_H

#include "tracer/tracer.h"

/* The present image of PROCESS begins, or is sampled again, with what the process has used before. */
void times_begin(struct process *process);

/* THREAD, which is stopped, is sampled by MESSAGE, whose syscall and weight_ns are set. Returns what of the
 * weight is for page faults. */
uint64_t times_bill(struct tracer *tracer, struct thread *thread, const struct message_capture *message);

/* Reads user and system time of a process for which that is due: not while it is stopped. */
void times_look(struct tracer *tracer);

#endif
