/* SPDX-License-Identifier: MIT
 *
 * Starting the command: a child of the front that waits until it is traced and only then becomes the command, so that
 * its first instruction is seen. It inherits what the front's caller gave, and nothing of ours. */
#ifndef TRACEE_LAUNCH_H
#define TRACEE_LAUNCH_H

#include "base/error.h"

#include <signal.h>
#include <sys/types.h>

/* What the front has changed for itself and the command must get back. */
struct launch_inheritance {
    sigset_t mask;
    struct sigaction child; /* disposition of SIGCHLD */
};

struct launch {
    pid_t pid;
    int go;     /* pipe: a byte written lets the child exec; closing it unwritten makes it exit */
    int answer; /* pipe: a byte when the child is ready to be seized; then the errno of exec, or its end */
};

/* Forks the child that will run ARGV with execvp, and waits until it may be seized by process TRACER. Returns 0 or
 * -errno with ERROR set. */
int launch_prepare(struct launch *launch, char *const argv[], pid_t tracer,
                   const struct launch_inheritance *inheritance, struct error *error);

/* Lets the child exec and waits until it has. Returns 0, or exec's -errno: the child has then exited with status 127,
 * unreaped. Closes both pipes. */
int launch_go(struct launch *launch);

/* Makes the child exit instead. Closes both pipes. */
void launch_abandon(struct launch *launch);

/* Whether this process may trace a child of its own, found out with one made for that. Returns 0 or -errno. */
int launch_try_tracing(void);

#endif
