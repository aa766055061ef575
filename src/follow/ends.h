/* SPDX-License-Identifier: MIT
 *
 * Exit stops: a thread stops once more when it is about to end, for whatever reason, while the memory of its process
 * still exists. The stop delays a kill until we have seen it, so only threads of processes that need it have it. */
#ifndef FOLLOW_ENDS_H
#define FOLLOW_ENDS_H

#include "follow/follow.h"

/* Makes the exit stop of THREAD follow its process's ends_told. THREAD is stopped and about to be resumed. */
void ends_follow(const struct follow *follow, struct thread *thread);

/* A thread of ORIGIN has made CHILD, which is new and has one thread. CHILD may have inherited an exit stop that it
 * should not have. */
void ends_inherit(struct process *child, const struct process *origin);

#endif
