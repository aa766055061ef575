/* SPDX-License-Identifier: MIT
 *
 * Runs work that may never end, or fail in any way, in a child process that can be killed. */
#ifndef BASE_CHILD_H
#define BASE_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/types.h>

/* Zeroed: no child. */
struct child {
    pid_t pid; /* 0: none */
    int fd;    /* pidfd: PID may be reused as soon as another thread has reaped the child */
};

/* The work of a child. The result is its exit status. */
typedef int child_work(void *argument);

/* Starts a child that does WORK with ARGUMENT, under NAME (at most 15 bytes). It blocks all signals, so only SIGKILL
 * ends it, and it dies with its parent. Returns 0, or -errno with CHILD zeroed. */
int child_start(struct child *child, const char *name, child_work *work, void *argument);

/* Call it in the child: sets its limit of RESOURCE to the hard limit, or to MOST if that is lower. */
void child_limit(__rlimit_resource_t resource, rlim_t most);

/* Call it in the child: closes everything of the parent's on which the tracer or the terminal depends. Keeps the COUNT
 * descriptors FDS, which get new numbers, and WITH_PROC also the folder of /proc (base/proc.h). Standard input, output
 * and error lead to /dev/null. Returns false on failure. */
bool child_keep(int *fds, size_t count, bool with_proc);

/* Waits for the end of CHILD. Returns its exit status, or -1 if it was killed. Zeroes CHILD. */
int child_wait(struct child *child);

/* Kills CHILD, if it runs, and waits at most PATIENCE_MS for its end (0: without limit). Then zeroes CHILD. Returns
 * false, with CHILD unchanged, if it has not ended: it is in a system call that not even SIGKILL interrupts, or it got
 * no CPU. */
bool child_kill(struct child *child, unsigned patience_ms);

/* Does WORK as child_start does, and waits at most PATIENCE_MS for its end, without handling signals. Returns the exit
 * status, -1 if it was killed, -ETIMEDOUT if it did not end in time and was killed, or another -errno if it could not
 * be started. */
int child_run(const char *name, child_work *work, void *argument, unsigned patience_ms);

/* Zeroes CHILD without waiting for its end. */
void child_leave(struct child *child);

/* Returns true and zeroes CHILD if it has ended. Does not wait. */
bool child_has_ended(struct child *child);

#endif
