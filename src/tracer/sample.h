/* SPDX-License-Identifier: MIT
 *
 * A stop that a tick asked for: is it good, what is taken of it, and how long it kept its thread. */
#ifndef TRACER_SAMPLE_H
#define TRACER_SAMPLE_H

#include "tracer/tracer.h"

/* Called by follow when a thread has stopped that was asked to: takes the capture; and before any thread is resumed. */
void sample_stopped(void *tracer, struct thread *thread);
void sample_resuming(void *tracer, pid_t tid);

/* Begins a capture of THREAD, which is where REGISTERS say: its stack is copied. NULL if there is no room for it in the
 * ring. The caller sets system call and weights, and sends it, or leaves it. */
struct message_capture *sample_reserve(struct tracer *tracer, struct thread *thread,
                                       const struct arch_registers *registers);
void sample_send(struct tracer *tracer, struct thread *thread, const struct message_capture *message);

#endif
