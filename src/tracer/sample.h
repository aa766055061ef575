/* SPDX-License-Identifier: MIT
 *
 * A stop that a tick asked for: is it good, what is taken of it, and how long it kept its thread. */
#ifndef TRACER_SAMPLE_H
#define TRACER_SAMPLE_H

#include "tracer/tracer.h"

/* THREAD has stopped that was asked to: takes the capture. */
void sample_stopped(struct tracer *tracer, struct thread *thread);

/* It was resumed, at monotonic time RESUMED_NS, or kept stopped (0). */
void sample_resumed(struct tracer *tracer, uint64_t resumed_ns);

/* Begins a capture of THREAD, which is where REGISTERS say: its stack is copied. NULL if there is no room for it in the
 * ring. The caller sets system call and weights, and sends it, or leaves it. */
struct message_capture *sample_reserve(struct tracer *tracer, struct thread *thread,
                                       const struct arch_registers *registers);
void sample_send(struct tracer *tracer, struct thread *thread, struct message_capture *message);

#endif
