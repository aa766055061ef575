/* SPDX-License-Identifier: MIT
 *
 * Turns breakpoints into jumps (plant/detours.h) while threads run. Once the breakpoint stands, no thread enters the
 * instructions behind it any longer. A thread may have been inside them before, so each thread is looked at once. A
 * thread that was outside stays outside. */
#ifndef FOLLOW_JUMPS_H
#define FOLLOW_JUMPS_H

struct follow;
struct process;
struct thread;

/* Breakpoints were set in PROCESS. If they can become jumps, looks at its threads and asks the running ones to stop. */
void jumps_begin(struct follow *follow, struct process *process);

/* Looks at THREAD, which is stopped. Call it while you answer that event. */
void jumps_stopped(struct follow *follow, struct thread *thread);

/* Handles the end of THREAD. */
void jumps_ended(struct follow *follow, struct thread *thread);

#endif
