/* SPDX-License-Identifier: MIT
 *
 * Decides how much of a thread's stack a capture contains. */
#ifndef LOOP_STACK_H
#define LOOP_STACK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct ahead;
struct message_capture;
struct runs;
struct thread;
struct tracer;

/* Sets RUNS to the parts of THREAD's stack, with stack pointer SP, to copy at NOW_NS: the present pages from the red
 * zone up to the thread's first frame. Returns the stack_depth of message_capture. */
uint32_t stack_find(struct tracer *tracer, struct thread *thread, uint64_t sp, uint64_t now_ns, struct runs *runs);

/* THREAD is about to stop. Looks at its stack near the stack pointer of its last capture, for stack_find. */
void stack_look_ahead(const struct tracer *tracer, const struct thread *thread, struct ahead *ahead);

/* Returns the end of THREAD's stack from SP on; 0: unknown. */
uint64_t stack_end(const struct thread *thread, uint64_t sp);

/* A stack of thread TID of process PID was incomplete: it needs BYTES. For a while, copies more of this thread's stack,
 * within the maximum. Also copies more of all stacks of the process with a known end, which costs no more than their
 * depth. CROSSED (0: none): while the thread is below that address, the word there points to another stack, which is
 * copied, too. Returns true if the next capture may have more of it than the last one. */
bool stack_deeper(struct tracer *tracer, pid_t pid, pid_t tid, uint64_t bytes, uint64_t crossed);

/* Writes RUNS, which stack_find has just set, and then their bytes to PLACE, one after the other. Cuts RUNS to the
 * part that could be read. Returns the number of bytes, or -errno if none. */
ssize_t stack_copy(struct thread *thread, uint64_t sp, struct runs *runs, void *place);

/* Cuts MESSAGE, a capture of THREAD, at the end of the stack. The stack of a thread that was never stopped is copied
 * beyond its end while the end is unknown. */
void stack_trim(struct thread *thread, struct message_capture *message);

#endif
