/* SPDX-License-Identifier: MIT
 *
 * A child process for what may never end, or may go wrong in every way: it can be killed. */
#ifndef BASE_CHILD_H
#define BASE_CHILD_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

/* Zeroed: no child. */
struct child {
    pid_t pid; /* 0: none */
    int fd;    /* pidfd: PID may be another process's as soon as somebody has reaped it */
};

/* What a child does; what it returns is its exit status. */
typedef int child_work(void *argument);

/* Starts a child that does WORK with ARGUMENT, under NAME, at most 15 bytes. It has all signals blocked, so that it
 * answers to SIGKILL alone, and dies with its parent. Returns 0, or -errno with CHILD none. */
int child_start(struct child *child, const char *name, child_work *work, void *argument);

/* In the child: it may have of RESOURCE what it has, and MOST at the most. */
void child_limit(__rlimit_resource_t resource, rlim_t most);

/* Waits for the end of CHILD. Returns its exit status, or -1 if it was killed. Zeroes CHILD. */
int child_wait(struct child *child);

/* Kills CHILD, if any, and waits for its end for at most PATIENCE_MS (0: without a limit). CHILD is then no child.
 * Returns false, with CHILD unchanged, if it has not ended: it is in a system call that not even SIGKILL interrupts,
 * or it did not get a CPU. */
bool child_kill(struct child *child, unsigned patience_ms);

/* Zeroes CHILD, and nobody waits for its end. */
void child_leave(struct child *child);

/* Returns true and zeroes CHILD if it has ended. Does not wait. */
bool child_has_ended(struct child *child);

#endif
