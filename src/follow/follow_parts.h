/* SPDX-License-Identifier: MIT
 *
 * What the parts of following share among themselves. */
#ifndef FOLLOW_FOLLOW_PARTS_H
#define FOLLOW_FOLLOW_PARTS_H

#include "follow/follow.h"

/* HAPPENED is to be told, after all that is to be told already. There is always room for what one event of a thread
 * brings, and for the births of all newborns. */
void follow_tell(struct follow *follow, struct happened happened);

/* True if there is room for one more that may come in any number. */
bool follow_may_tell(struct follow *follow);

/* Adds TID, which is traced by us without being known: a child of a traced thread, made by ORIGIN, if that is known. If
 * it is a process, its birth is to be told, and else, unless ATTACHED: it has run before it was traced. Returns its
 * thread, or NULL if it is gone or not to be followed. */
struct thread *follow_adopt(struct follow *follow, pid_t tid, struct process *origin, bool attached);

/* TID has ended, which is to be told if it is THREAD, and not NULL. */
void follow_thread_ended(struct follow *follow, pid_t tid, struct thread *thread);

/* PROCESS has ended, or is followed no longer: that is to be told, once. */
void follow_process_ended(struct follow *follow, struct process *process);

/* TID, which is stopped and not followed, is traced no longer. SIG: a signal that it gets; 0: none. */
void follow_let_go(struct follow *follow, pid_t tid, int sig);

/* The stop of TID is seen by us alone from now on. */
void follow_take_stop(pid_t tid);

/* TID, which is not known, has stopped at EVENT. Who made it, if it is a child process that stops for the first time,
 * and so what it has of the maker's, only the maker's event says: a child's parent may be another. Returns true if it
 * has to wait for that, its stop consumed. */
bool newborns_keep(struct follow *follow, pid_t tid, struct event event);

/* CHILD has been told of by MAKER, which may be NULL. Returns false if it is none of those that are kept. */
bool newborns_told(struct follow *follow, pid_t child, struct process *maker);

/* Those whose maker MAKER has ended, if it is not 0, or whose makers' events have not come for long, are adopted as
 * what they seem to be. */
void newborns_orphaned(struct follow *follow, pid_t maker);

/* The monotonic time at which the first of them has waited long enough; 0: there is none. */
uint64_t newborns_due_ns(const struct follow *follow);

/* TID has ended. */
void newborns_forget(struct follow *follow, pid_t tid);

/* It has been told that PROCESS was attached. */
void attach_begun(struct follow *follow, struct process *process);

/* TID has been seen at a stop, or its end. */
void attach_seen(struct follow *follow, pid_t tid);

/* The image of process PID that was attached is no more. */
void attach_forget(struct follow *follow, pid_t pid);

#endif
