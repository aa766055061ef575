/* SPDX-License-Identifier: MIT
 *
 * Exit stops: a thread stops once more when it is about to end, for any reason, while its process still has its memory.
 * The stop delays a kill until we have seen it, so only processes that need it have it. */
#ifndef FOLLOW_ENDS_H
#define FOLLOW_ENDS_H

struct follow;
struct process;
struct thread;

/* Turns the exit stop of THREAD on or off, as its process's ends_told says. THREAD is stopped and about to be
 * resumed. */
void ends_follow(const struct follow *follow, struct thread *thread);

/* Sets ends_told of CHILD, a new process with one thread, made by a thread of ORIGIN. CHILD may have inherited an exit
 * stop that it should not have. */
void ends_inherit(struct process *child, const struct process *origin);

#endif
