/* SPDX-License-Identifier: MIT
 *
 * Restarts the system call that a stop has interrupted.
 *
 * A stop makes some system calls fail with EINTR, and so does a signal that would not have woken the program without a
 * tracer. The thread then enters the call again. A stop also cuts transfers short: the thread then enters the call
 * again for the remainder, stops at its end (system-call-stops), and gets the sum for its result. If a handler is about
 * to run, the program must see the failure or the short count: the change is undone. restart/timeouts.h handles
 * timeouts.
 *
 * Some calls start over or notify somebody each time that they are entered. They are not interrupted a second time:
 * the thread is shielded until it has left the call.
 *
 * The remainder is transferred only if the result equals a single call:
 *   - getrandom, and reads of endless devices: the data has no order;
 *   - writes to pipes and Unix stream sockets that may block, if no other process or thread can replace the descriptor
 *     between the two calls (restart/files.h). If the second call fails without transferring anything, the program gets
 *     the result of the first part, as in a single call.
 *
 * If the tracer dies during the remainder, the front ends the call with the count so far (plant/rescue.h): a short
 * count, as after a signal. If the remainder ends before the front does this, or the front has died, too, the program
 * takes the count of the remainder for the whole. */
#ifndef RESTART_CALLS_H
#define RESTART_CALLS_H

#include <stddef.h>

struct restart;

struct event;
struct thread;

/* THREAD has stopped for EVENT and is about to be resumed: restarts its system call if that was interrupted. */
void restart_calls(struct restart *restart, struct thread *thread, struct event event);

/* Before tracing ends: makes each thread that transfers a remainder finish with what it has, and begins no other.
 * Returns how many have not finished: their stops must still be handled. */
size_t restart_recall(struct restart *restart);

/* Call it immediately before tracing ends. Afterwards the kernel restarts the calls, because no later stop can undo our
 * restart for a handler. Returns how many threads are about to be interrupted at our own request: their stops must
 * still be handled. */
size_t restart_leave(struct restart *restart);

#endif
