/* SPDX-License-Identifier: MIT
 *
 * What the parts of following share among themselves. */
#ifndef TRACEE_FOLLOW_PARTS_H
#define TRACEE_FOLLOW_PARTS_H

#include "tracee/follow.h"

/* Adds process PID, a child of PARENT or 0, and tells the owner. NULL if there is no memory. */
struct process *follow_add_process(struct follow *follow, pid_t pid, pid_t parent);

/* Adds TID, which is traced by us without being known: a child of a traced thread, made by ORIGIN, if that is known.
 * ATTACHED: it has run before it was traced. Returns its thread, or NULL if it is gone or not to be followed. */
struct thread *follow_adopt(struct follow *follow, pid_t tid, struct process *origin, bool attached);

/* TID has been seen at a stop, or its end. */
void attach_seen(struct follow *follow, pid_t tid);

/* The image of process PID that was attached is no more. */
void attach_forget(struct follow *follow, pid_t pid);

/* PROCESS is gone: tells the owner, and removes it. */
void follow_remove_process(struct follow *follow, struct process *process);

/* PROCESS begins a new image. THREAD and BY_EXEC: see the owner's image_begins. */
void follow_begin_image(struct follow *follow, struct process *process, struct thread *thread, bool by_exec);

#endif
