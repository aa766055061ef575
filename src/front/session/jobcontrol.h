/* SPDX-License-Identifier: MIT
 *
 * The front as a parent and as a job: signals, stops, and its exit. */
#ifndef SESSION_JOBCONTROL_H
#define SESSION_JOBCONTROL_H

#include "front/session/senders.h"
#include "tracer/tracee/launch.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct error;
struct shared;

enum { JOBCONTROL_SIGNALS = 64 };

struct jobcontrol {
    struct launch_inheritance inheritance; /* mask of our caller */
    sigset_t ignored;                      /* signals that our caller ignores */
    int descriptor;                        /* signalfd */
    pid_t command;                         /* 0: none yet, or ended */
    int toggle;                            /* signal only for ptprofil; 0: none */
    unsigned toggled;                      /* how often it was received */
    void (*before_stop)(void *of);         /* called before this process stops; NULL: nothing */
    void *of;
    bool told;        /* a signal that ends programs was received and passed on */
    bool out_of_time; /* the kernel reported that our own limit of CPU time is reached: SIGXCPU */
    struct senders senders;
    pid_t parent;                          /* our parent at the start */
    uint64_t group_ns[JOBCONTROL_SIGNALS]; /* monotonic time at which the group last got each signal; 0: never */
};

/* Takes over the signals of a parent process, which are then read from a descriptor. ATTACHED: no command will be
 * started; Ctrl-C is for us even if our caller ignores it, as a shell does for background jobs. TOGGLE (0: none): a
 * signal that is counted and not forwarded. Returns 0 or -errno with ERROR set. */
int jobcontrol_start(struct jobcontrol *jobcontrol, bool attached, int toggle, struct error *error);

/* Reads the signals received. While the command runs, a signal that ends programs by default, and that a process has
 * sent, goes
 *  - to the command, if it was sent to us alone, and not just before to the group, too;
 *  - nowhere, if it was sent to our process group, because the command has got it, too;
 *  - to our parent, if the program has sent it to us alone, our parent handles it, and it is not one that asks programs
 *    to end.
 * The terminal's signals reach the command by themselves. After the end of the command, all these signals are for us:
 * they set *ASKED_TO_END unless our caller ignores them, and SIGTSTP stops us. Returns true if a SIGCHLD was
 * received. */
bool jobcontrol_read(struct jobcontrol *jobcontrol, bool *asked_to_end);

/* The command was stopped by SIG. Stops this process in the same way, so that the shell sees its job stopped, unless
 * the command was continued already. Returns when this process and the command are continued. TRACED: the tracer
 * exists, and continues us if the command alone is continued. Without it, only stops by the terminal are mirrored. */
void jobcontrol_mirror_stop(struct jobcontrol *jobcontrol, struct shared *shared, int sig, bool traced);

/* Ends this process with wait status STATUS. */
_Noreturn void jobcontrol_end_as(int status);

#endif
