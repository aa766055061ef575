/* SPDX-License-Identifier: MIT
 *
 * Internal interface between the files of follow/. */
#ifndef FOLLOW_FOLLOW_PARTS_H
#define FOLLOW_FOLLOW_PARTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct event;
struct follow;
struct follow_event;
struct process;
struct thread;

/* Appends event EVENT. There is always room for the events of one stop, and for the births of all newborns. */
void follow_tell(struct follow *follow, struct follow_event event);

/* Makes room for one more event of a kind that can occur any number of times. Returns false if memory runs out. */
bool follow_may_tell(struct follow *follow);

/* Adds TID, a child of a traced thread: the kernel already traces it, but we do not know it. ORIGIN: its maker, or
 * NULL. ATTACHED: it ran before it was traced. Reports the birth of a new process, or, unless ATTACHED, of a new
 * thread. Returns its thread, or NULL if it is gone or not followed. */
struct thread *follow_adopt(struct follow *follow, pid_t tid, struct process *origin, bool attached);

/* Handles the end of TID. Reports it if THREAD is not NULL. */
void follow_thread_ended(struct follow *follow, pid_t tid, struct thread *thread);

/* Returns the first thread of THREAD's process if these are the only two; otherwise NULL. */
struct thread *follow_leader_beside(const struct thread *thread);

/* Reports, once, that PROCESS has ended or is no longer followed. */
void follow_process_ended(struct follow *follow, struct process *process);

/* Stops tracing TID, which is stopped and not followed. SIG: the signal that it receives; 0: none. */
void follow_let_go(struct follow *follow, pid_t tid, int sig);

/* Consumes the stop of TID, so that no later wait reports it. */
void follow_take_stop(pid_t tid);

/* Keeps unknown TID, stopped at EVENT, if it is a new child process. Only its maker's event shows what it has
 * inherited, because its parent may be another process. Returns true if it must wait for that event; then its stop is
 * consumed. */
bool newborns_keep(struct follow *follow, pid_t tid, struct event event);

/* Handles the report of CHILD by MAKER, which may be NULL. Returns false if CHILD is not a kept newborn. */
bool newborns_told(struct follow *follow, pid_t child, struct process *maker);

/* Adopts newborns whose maker's event will not come, as children of the parents that /proc shows. These are the
 * children of MAKER, which has ended (0: none), and all that have waited long enough. */
void newborns_orphaned(struct follow *follow, pid_t maker);

/* Returns the monotonic time at which the first newborn will have waited long enough, or 0 if no newborn waits. */
uint64_t newborns_due_ns(const struct follow *follow);

/* TID has ended. */
void newborns_forget(struct follow *follow, pid_t tid);

/* The attaching of PROCESS has been reported. */
void attach_begun(struct follow *follow, struct process *process);

/* TID has been seen at a stop or at its end. */
void attach_seen(struct follow *follow, pid_t tid);

/* The attached image of process PID has ended. */
void attach_forget(struct follow *follow, pid_t pid);

/* For process 1 of a pid namespace. */
enum first_verdict {
    FIRST_ANY,      /* not such a process, or SIG acts as it does without a tracer */
    FIRST_SHIELDED, /* without a tracer it would not receive SIG */
    FIRST_DIES      /* SIG ends it if it is not traced when the instruction faults again */
};

/* Returns what SIG does if THREAD, which is stopped for SIG, receives it. */
enum first_verdict first_signalled(struct thread *thread, int sig);

#endif
