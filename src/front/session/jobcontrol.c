/* SPDX-License-Identifier: MIT */
#include "front/session/jobcontrol.h"

#include "common/wire/shared.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

static const int taken[] = {SIGCHLD, SIGTERM, SIGHUP,  SIGINT,  SIGQUIT, SIGUSR1,
                            SIGUSR2, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT};

int jobcontrol_start(struct jobcontrol *jobcontrol, bool attached, int toggle, struct error *error)
{
    struct sigaction action;
    sigset_t set;

    /* Our caller may ignore SIGCHLD: then the kernel would discard our children's statuses. */
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &action, &jobcontrol->inheritance.child);
    sigemptyset(&set);
    sigemptyset(&jobcontrol->ignored);
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        sigaddset(&set, taken[i]);
        if (sigaction(taken[i], NULL, &action) == 0 && action.sa_handler == SIG_IGN)
            sigaddset(&jobcontrol->ignored, taken[i]);
    }
    if (attached)
        sigdelset(&jobcontrol->ignored, SIGINT);
    jobcontrol->toggle = toggle;
    if (toggle)
        sigaddset(&set, toggle);
    sigprocmask(SIG_BLOCK, &set, &jobcontrol->inheritance.mask);
    jobcontrol->command = 0;
    jobcontrol->descriptor = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (jobcontrol->descriptor < 0)
        return error_system(error, errno, "cannot read signals");
    return 0;
}

static bool was_continued(void)
{
    struct timespec now = {0, 0};
    sigset_t set;
    bool found = false;
    sigemptyset(&set);
    sigaddset(&set, SIGCONT);
    while (sigtimedwait(&set, NULL, &now) == SIGCONT)
        found = true;
    return found;
}

/* Stops this process with SIG, which is blocked and may have any action. */
static void stop_by(const struct jobcontrol *jobcontrol, int sig)
{
    struct sigaction action, before;
    sigset_t set;
    if (jobcontrol->before_stop)
        jobcontrol->before_stop(jobcontrol->of);
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_DFL;
    if (sig != SIGSTOP)
        sigaction(sig, &action, &before);
    sigemptyset(&set);
    sigaddset(&set, sig);
    kill(getpid(), sig);
    sigprocmask(SIG_UNBLOCK, &set, NULL); /* here we stop, unless no process could continue us: then the kernel ignores
                                           * the signal */
    sigprocmask(SIG_BLOCK, &set, NULL);
    if (sig != SIGSTOP)
        sigaction(sig, &before, NULL);
}

/* Returns true for signals that end a program or notify it. */
static bool is_word_to_program(int sig)
{
    return sig == SIGTERM || sig == SIGHUP || sig == SIGINT || sig == SIGQUIT || sig == SIGUSR1 || sig == SIGUSR2;
}

bool jobcontrol_read(struct jobcontrol *jobcontrol, bool *asked_to_end)
{
    struct signalfd_siginfo info;
    bool child = false;
    while (read(jobcontrol->descriptor, &info, sizeof info) == sizeof info) {
        int sig = (int)info.ssi_signo;
        bool word = is_word_to_program(sig);
        child |= sig == SIGCHLD;
        if (sig == jobcontrol->toggle) {
            jobcontrol->toggled++;
            continue;
        }
        if (jobcontrol->command > 0) {
            /* Forward a signal that a process sent to us. A terminal's signals reach the whole group by themselves.
             * Only its hangup goes just to the first process of the session, so forward that, too. */
            if (word && (info.ssi_code <= 0 || (sig == SIGHUP && getsid(0) == getpid()))) {
                kill(jobcontrol->command, sig);
                jobcontrol->told |= sig != SIGUSR1 && sig != SIGUSR2;
            }
        } else if (word && !sigismember(&jobcontrol->ignored, sig)) {
            *asked_to_end = true;
        } else if (sig == SIGTSTP && !sigismember(&jobcontrol->ignored, sig)) {
            stop_by(jobcontrol, sig);
        }
    }
    return child;
}

static bool command_goes_on(const struct jobcontrol *jobcontrol)
{
    siginfo_t info;
    info.si_pid = 0;
    return waitid(P_PID, (id_t)jobcontrol->command, &info, WCONTINUED | WEXITED | WNOHANG | WNOWAIT) < 0 ||
           info.si_pid != 0;
}

void jobcontrol_mirror_stop(struct jobcontrol *jobcontrol, struct shared *shared, int sig, bool traced)
{
    if (!traced && sig == SIGSTOP)
        return;
    was_continued(); /* forget older ones */
    atomic_store(&shared->front_stopped, 1);
    if (!command_goes_on(jobcontrol))
        stop_by(jobcontrol, sig);
    atomic_store(&shared->front_stopped, 0);
    /* A shell continues the whole group. A process that continued only us means the command, too. */
    if (was_continued() && !command_goes_on(jobcontrol))
        kill(jobcontrol->command, SIGCONT);
}

_Noreturn void jobcontrol_end_as(int status)
{
    struct sigaction action;
    struct rlimit none = {0, 0};
    sigset_t set;

    if (WIFEXITED(status))
        exit(WEXITSTATUS(status));
    int sig = WTERMSIG(status);
    fflush(NULL);
    setrlimit(RLIMIT_CORE, &none); /* the command has written its own core file, which ours would overwrite */
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_DFL;
    sigaction(sig, &action, NULL);
    sigemptyset(&set);
    sigaddset(&set, sig);
    kill(getpid(), sig);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    exit(128 + sig); /* the first process of a pid namespace survives its own signals */
}
