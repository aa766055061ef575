/* SPDX-License-Identifier: MIT */
#include "front/session/jobcontrol.h"

#include "common/base/error.h"
#include "common/base/time.h"
#include "common/wire/shared.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIGNALS_AT_ONCE = 16 };

/* timeout(1) and other parents answer a signal to the group, also the program's own, with the same signal to us. The
 * command has it already, if it comes in this time. */
enum { ECHO_NS = 500000000 };

/* Job control signals, and the end of a child: these are for us. */
static bool is_ours(int sig)
{
    return sig == SIGCHLD || sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU || sig == SIGCONT;
}

/* Returns true for signals that are the command's if somebody sends them to us: all whose default action ends a program
 * and can be changed. SIGWINCH and SIGURG end no program, and are not taken. */
static bool is_word_to_program(int sig)
{
    return sig != SIGKILL && sig != SIGSTOP && sig != SIGWINCH && sig != SIGURG && !is_ours(sig);
}

static void take(struct jobcontrol *jobcontrol, sigset_t *set, int sig)
{
    struct sigaction action;
    sigaddset(set, sig); /* fails for the signals that the C library keeps for itself */
    if (sigaction(sig, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
        sigaddset(&jobcontrol->ignored, sig);
}

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
    for (int sig = 1; sig <= SIGRTMAX; sig++)
        if (is_ours(sig) || is_word_to_program(sig))
            take(jobcontrol, &set, sig);
    if (attached)
        sigdelset(&jobcontrol->ignored, SIGINT);
    jobcontrol->toggle = toggle;
    if (toggle)
        sigaddset(&set, toggle);
    sigprocmask(SIG_BLOCK, &set, &jobcontrol->inheritance.mask);
    jobcontrol->command = 0;
    jobcontrol->parent = getppid();
    if (!attached)
        senders_start(&jobcontrol->senders);
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

/* Passes the signal of INFO on to process PID, with its value if it has one. */
static void pass_on(pid_t pid, const struct signalfd_siginfo *info)
{
    if (info->ssi_code == SI_QUEUE)
        sigqueue(pid, (int)info->ssi_signo, (union sigval){.sival_ptr = (void *)(uintptr_t)info->ssi_ptr});
    else
        kill(pid, (int)info->ssi_signo);
}

static bool ends_programs(int sig)
{
    return sig == SIGTERM || sig == SIGHUP || sig == SIGINT || sig == SIGQUIT;
}

/* The program has sent the signal of INFO to us alone. Without us, our parent would be its parent. The parent gets the
 * signal if it waits for it, as one does that a program tells when it is ready, and never one that would end it. */
static void pass_to_parent(const struct jobcontrol *jobcontrol, const struct signalfd_siginfo *info)
{
    int sig = (int)info->ssi_signo;
    if (!ends_programs(sig) && jobcontrol->parent > 0 && getppid() == jobcontrol->parent &&
        senders_awaits(jobcontrol->parent, sig))
        pass_on(jobcontrol->parent, info);
}

/* INFO is a word to the program while it runs. TO_GROUP: the whole process group got it. */
static void forward(struct jobcontrol *jobcontrol, const struct signalfd_siginfo *info, bool to_group)
{
    int sig = (int)info->ssi_signo;
    bool sent = info->ssi_code <= 0, hangup = sig == SIGHUP && getsid(0) == getpid();
    uint64_t now_ns = time_now_ns();
    if (!sent && sig == SIGXCPU)
        jobcontrol->out_of_time = true;
    if (to_group)
        jobcontrol->group_ns[sig - 1] = now_ns;
    /* A terminal's signals reach the whole group by themselves. Only its hangup goes just to the first process of the
     * session. */
    if (to_group || (!sent && !hangup))
        return;
    if (sent && senders_is_program(&jobcontrol->senders, (pid_t)info->ssi_pid))
        pass_to_parent(jobcontrol, info);
    else if (!jobcontrol->group_ns[sig - 1] || now_ns - jobcontrol->group_ns[sig - 1] > ECHO_NS || sig >= SIGRTMIN) {
        pass_on(jobcontrol->command, info);
        jobcontrol->told |= ends_programs(sig);
    }
}

/* Handles one signal. GROUP: signals that our process group has got; 0 until a signal needs it. */
static void handle(struct jobcontrol *jobcontrol, const struct signalfd_siginfo *info, uint64_t group,
                   bool *asked_to_end)
{
    int sig = (int)info->ssi_signo;
    bool word = is_word_to_program(sig), sent = info->ssi_code <= 0, ignored = sigismember(&jobcontrol->ignored, sig);
    if (sig == jobcontrol->toggle)
        jobcontrol->toggled++;
    else if (sent && (pid_t)info->ssi_pid == getpid())
        return; /* SIGPIPE or SIGXFSZ: the write that failed has reported it */
    else if (word && jobcontrol->command > 0)
        forward(jobcontrol, info, sent && group & (uint64_t)1 << (sig - 1));
    else if (word && !ignored)
        *asked_to_end = true;
    else if (sig == SIGTSTP && jobcontrol->command <= 0 && !ignored)
        stop_by(jobcontrol, sig);
}

bool jobcontrol_read(struct jobcontrol *jobcontrol, bool *asked_to_end)
{
    struct signalfd_siginfo info[SIGNALS_AT_ONCE];
    bool child = false;
    ssize_t got;
    while ((got = read(jobcontrol->descriptor, info, sizeof info)) > 0) {
        size_t count = (size_t)got / sizeof *info;
        bool sent = false;
        for (size_t i = 0; i < count; i++) {
            child |= info[i].ssi_signo == SIGCHLD;
            sent |= info[i].ssi_code <= 0 && is_word_to_program((int)info[i].ssi_signo);
        }
        uint64_t group = sent && jobcontrol->command > 0 ? senders_group(&jobcontrol->senders) : 0;
        for (size_t i = 0; i < count; i++)
            handle(jobcontrol, &info[i], group, asked_to_end);
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
