/* SPDX-License-Identifier: MIT
 *
 * What the parts of following share among themselves. */
#ifndef TRACEE_FOLLOW_PARTS_H
#define TRACEE_FOLLOW_PARTS_H

#include "tracee/follow.h"

/* Adds process PID, a child of PARENT or 0, and tells the owner. NULL if there is no memory. */
struct process *follow_add_process(struct follow *follow, pid_t pid, pid_t parent);

/* PROCESS is gone: tells the owner, and removes it. */
void follow_remove_process(struct follow *follow, struct process *process);

/* PROCESS begins a new image. THREAD and BY_EXEC: see the owner's image_begins. */
void follow_begin_image(struct follow *follow, struct process *process, struct thread *thread, bool by_exec);

#endif
