/* SPDX-License-Identifier: MIT
 *
 * Whether a thread stops once more when it is about to end, however it ends, while the memory of its process is still
 * there. That stop holds what is being killed until it has been seen: so only threads of processes that need it have
 * it. */
#ifndef FOLLOW_ENDS_H
#define FOLLOW_ENDS_H

#include "follow/follow.h"

/* THREAD is stopped, and about to be resumed: brings what the kernel does at its end up to date with its process's
 * ends_told. */
void ends_follow(const struct follow *follow, struct thread *thread);

/* CHILD, which is new and has one thread, was made by a thread of ORIGIN, and may have from it what is not meant for
 * it. */
void ends_inherit(struct process *child, const struct process *origin);

#endif
