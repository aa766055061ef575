/* SPDX-License-Identifier: MIT
 *
 * The front as a parent and as a job: signals, stops, and the way it ends. */
#ifndef SESSION_JOBCONTROL_H
#define SESSION_JOBCONTROL_H

#include "base/error.h"
#include "tracee/launch.h"
#include "wire/channel.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct jobcontrol {
    struct launch_inheritance inheritance; /* as our caller had it */
    sigset_t ignored;                      /* by our caller */
    int descriptor;                        /* signalfd */
    pid_t command;                         /* 0: none yet, or ended */
    int toggle;                            /* signal that is for ourselves alone; 0: none */
    unsigned toggled;                      /* how often it has come */
    void (*before_stop)(void *of);         /* called before this process is stopped; NULL: nothing is */
    void *of;
    bool told; /* somebody sent a signal that ends programs, and it was passed on */
};

/* Takes over the signals of a parent process, which are read from a descriptor from then on. ATTACHED: no command
 * will be started, and Ctrl-C is for us even if our caller ignores it, as a shell does for background jobs. TOGGLE,
 * if not 0, is a signal that is counted and not forwarded. Returns 0 or -errno with ERROR set. */
int jobcontrol_start(struct jobcontrol *jobcontrol, bool attached, int toggle, struct error *error);

/* Reads what has come and forwards to the command what a process sent to us for it (SIGTERM, SIGHUP, SIGINT, SIGQUIT,
 * SIGUSR1, SIGUSR2). What the terminal sends reaches the command by itself. When the command has ended they are meant
 * for us, whoever sent them: *ASKED_TO_END is set, unless our caller ignores the signal; and SIGTSTP stops us. Returns
 * true if a SIGCHLD was among it. */
bool jobcontrol_read(struct jobcontrol *jobcontrol, bool *asked_to_end);

/* The command has been stopped by SIG: stops this process in the same way, so that the shell sees its job stopped,
 * unless the command has been continued already. Returns when it is continued, and so is the command. TRACED: the
 * tracer is there, which continues us when somebody continues the command alone; without it only the terminal's stops
 * are mirrored. */
void jobcontrol_mirror_stop(struct jobcontrol *jobcontrol, struct shared *shared, int sig, bool traced);

/* Ends this process as a process with wait status STATUS ended. */
_Noreturn void jobcontrol_end_as(int status);

#endif
