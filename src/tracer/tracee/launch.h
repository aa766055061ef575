/* SPDX-License-Identifier: MIT
 *
 * Starts the command. A child of the front waits until it is traced, and only then becomes the command, so that we see
 * its first instruction. It inherits the environment of the front's caller, and nothing of ours. */
#ifndef TRACEE_LAUNCH_H
#define TRACEE_LAUNCH_H

#include <signal.h>
#include <sys/types.h>

struct error;

/* State that the front has changed for itself, and that the command must get back. */
struct launch_inheritance {
    sigset_t mask;
    struct sigaction child; /* disposition of SIGCHLD */
};

struct launch {
    pid_t pid;
    int go;     /* pipe: a byte lets the child exec; closing it without a byte makes the child exit */
    int answer; /* pipe: a byte when the child is ready to be seized, then the errno of a failed exec, or end of file */
};

/* Forks the child that will run ARGV with execvp, and waits until process TRACER may seize it. Returns 0 or -errno
 * with ERROR set. */
int launch_prepare(struct launch *launch, char *const argv[], pid_t tracer,
                   const struct launch_inheritance *inheritance, struct error *error);

/* Lets the child exec and waits until it has. Returns 0, or exec's -errno: the child has then exited with status 127,
 * unreaped. Closes both pipes. */
int launch_go(struct launch *launch);

/* Makes the child exit instead. Closes both pipes. */
void launch_abandon(struct launch *launch);

/* Tests whether this process may trace a child of its own, with a new child. Returns 0 or -errno. */
int launch_try_tracing(void);

#endif
