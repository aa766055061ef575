/* SPDX-License-Identifier: MIT
 *
 * What a stop does to the system call that it interrupts, mended.
 *
 * A stop, and the delivery of a signal that a program without a tracer would never have been woken for, make some
 * system calls fail with EINTR: the thread enters them again. And they cut transfers short: the thread enters the call
 * again for the rest, stops at its end (system-call-stops), and gets the sum for its result. Unless a handler is about
 * to run: then the failure or the short count is the program's to see, and what was changed is put back. Timeouts are
 * those of restart/timeouts.h.
 *
 * Calls that begin from their start, or of which somebody is told, each time that they are entered are not interrupted
 * a second time: their thread is spared until it has left them.
 *
 * The rest is only made where it comes to the same as one call alone:
 *   - getrandom, and reads of devices that never end: what comes has no order;
 *   - writes to pipes and Unix stream sockets that may block, where nobody can close the descriptor, or open another
 * file as it, between the two calls (restart/files.h). What fails with nothing more transferred leaves the result of
 * the first part, as in one call.
 *
 * If the tracer dies meanwhile, the front ends the call with what it has by then (plant/rescue.h): a short count, as a
 * signal leaves it. If it is too late, because the rest has come to its end between the two, or the front has died,
 * too, then the program takes the rest's count for that of the whole. */
#ifndef RESTART_MEND_H
#define RESTART_MEND_H

#include "model/event.h"
#include "restart/restart.h"

/* THREAD has stopped for EVENT and is about to be resumed. */
void mend(struct restart *restart, struct thread *thread, struct event event);

/* Before tracing ends: threads that make the rest of a transfer are to end it with what they have, and no other begins
 * one. Returns how many have not yet: their stops have to be handled. */
size_t restart_recall(struct restart *restart);

#endif
