/* SPDX-License-Identifier: MIT
 *
 * Handles the stop of a thread for a tick: judges the sample, takes the capture, and measures how long the thread was
 * stopped. */
#ifndef LOOP_SAMPLE_H
#define LOOP_SAMPLE_H

#include <stdint.h>

struct arch_registers;
struct blocked;
struct message_capture;
struct process;
struct thread;
struct tracer;

/* THREAD has stopped as asked: takes the capture. SIG: the signal that is being delivered, or 0. */
void sample_stopped(struct tracer *tracer, struct thread *thread, int sig);

/* THREAD did not stop as asked: it is in SYSCALL, exec or exit, which no request stops, and its image has ended. It was
 * there when the tick came, because a thread in any other code stops first. Takes a sample without a stack. */
void sample_left(struct tracer *tracer, struct thread *thread, int32_t syscall);

/* PROCESS, which was let go at its exit stop, has ended. It was not traced in the remainder of its exit. Takes as many
 * samples there as ticks would have met it on average. */
void sample_ended(struct tracer *tracer, struct process *process);

/* The thread was resumed at monotonic time RESUMED_NS, or stays stopped (0). */
void sample_resumed(struct tracer *tracer, uint64_t resumed_ns);

/* Begins a capture of THREAD, with REGISTERS, and copies its stack. WHERE: where it waits, or NULL if it is stopped.
 * Returns NULL if the ring has no room. The caller sets system call and weights, and sends or abandons the capture. */
struct message_capture *sample_reserve(struct tracer *tracer, struct thread *thread,
                                       const struct arch_registers *registers, const struct blocked *where);
void sample_send(struct tracer *tracer, struct thread *thread, struct message_capture *message);

#endif
