/* SPDX-License-Identifier: MIT
 *
 * How much of a thread's stack a capture has. */
#ifndef TRACER_STACK_H
#define TRACER_STACK_H

#include "tracer/tracer.h"

/* Finds what of the stack of THREAD, whose stack pointer is SP, is worth copying at NOW_NS: what is there, from the red
 * zone up to the thread's first frame. Returns the stack_depth of message_capture. */
uint32_t stack_find(struct tracer *tracer, struct thread *thread, uint64_t sp, uint64_t now_ns, struct runs *runs);

/* A stack of thread TID of process PID was not whole without BYTES of it: for a while more is copied, as far as it may
 * be, of all stacks of the process whose ends are known, which costs no more than they are deep; and of this thread's
 * in any case. CROSSED, if it is not 0: while the thread is below that address, the word there leads to a stack that is
 * copied, too. */
void stack_deeper(struct tracer *tracer, pid_t pid, pid_t tid, uint64_t bytes, uint64_t crossed);

/* Writes RUNS, as stack_find has found them just now, and the bytes of them to PLACE, one behind the other. RUNS are
 * cut to what could be read. Returns how many bytes that is, or -errno if none. */
ssize_t stack_copy(struct thread *thread, uint64_t sp, struct runs *runs, void *place);

/* The stack of a thread that was never stopped is copied further than it goes, until it is known where it ends: that is
 * looked for in the capture MESSAGE of THREAD, which is cut there. */
void stack_trim(struct thread *thread, struct message_capture *message);

#endif
