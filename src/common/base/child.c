/* SPDX-License-Identifier: MIT */
#include "common/base/child.h"

#include "common/base/kernel.h"
#include "common/base/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static _Noreturn void child_main(const char *name, pid_t parent, child_work *work, void *argument)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    prctl(PR_SET_NAME, name, 0, 0, 0);
    _exit(getppid() == parent ? work(argument) : 1);
}

int child_start(struct child *child, const char *name, child_work *work, void *argument)
{
    sigset_t all, before;
    pid_t parent = getpid();
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    pid_t pid = fork();
    if (pid == 0)
        child_main(name, parent, work, argument);
    int fd = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1, result = fd < 0 ? -errno : 0;
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (pid > 0 && fd < 0) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    *child = fd < 0 ? (struct child){0} : (struct child){pid, fd};
    return result;
}

void child_limit(__rlimit_resource_t resource, rlim_t most)
{
    struct rlimit value;
    if (getrlimit(resource, &value) == 0 && value.rlim_max > most)
        value.rlim_max = most;
    value.rlim_cur = value.rlim_max;
    setrlimit(resource, &value);
}

void child_leave(struct child *child)
{
    close(child->fd);
    *child = (struct child){0};
}

/* Opens /dev/null or, in a root directory without it, the end of a pipe: it can be read, and is empty. */
static int open_nothing(void)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC), ends[2];
    if (null >= 0 || pipe2(ends, O_CLOEXEC) < 0)
        return null;
    close(ends[1]);
    return ends[0];
}

bool child_keep(int *fds, size_t count, bool with_proc)
{
    enum { FIRST = STDERR_FILENO + 1 };
    int proc = FIRST + (int)count;
    for (size_t i = 0; i < count; i++) { /* where none replaces another */
        fds[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, proc + 1);
        if (fds[i] < 0)
            return false;
    }
    if (with_proc && proc_move(STDIN_FILENO) < 0) /* it may be where it is going to be, or where FDS are */
        return false;
    for (size_t i = 0; i < count; i++) {
        fds[i] = dup2(fds[i], FIRST + (int)i);
        if (fds[i] < 0)
            return false;
    }
    if (with_proc && proc_move(proc) < 0)
        return false;
    close_range((unsigned)(proc + with_proc), ~0U, 0);
    int null = open_nothing();
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (dup2(null, fd) < 0)
            return false;
    return close(null) == 0;
}

int child_wait(struct child *child)
{
    siginfo_t info = {0};
    int result;
    do
        result = waitid(P_PIDFD, (id_t)child->fd, &info, WEXITED);
    while (result < 0 && errno == EINTR);
    child_leave(child);
    return result == 0 && info.si_code == CLD_EXITED ? info.si_status : -1;
}

bool child_has_ended(struct child *child)
{
    siginfo_t info = {0};
    bool ended = waitid(P_PIDFD, (id_t)child->fd, &info, WEXITED | WNOHANG) < 0 || info.si_pid;
    if (ended)
        child_leave(child);
    return ended;
}

bool child_kill(struct child *child, unsigned patience_ms)
{
    enum { TURNS_IN_MS = 10 };
    if (!child->pid)
        return true;
    syscall(SYS_pidfd_send_signal, child->fd, SIGKILL, NULL, 0);
    if (!patience_ms) {
        child_wait(child);
        return true;
    }
    for (unsigned turns = patience_ms * TURNS_IN_MS; !child_has_ended(child); turns--) {
        if (!turns)
            return false;
        usleep(1000 / TURNS_IN_MS);
    }
    return true;
}

int child_run(const char *name, child_work *work, void *argument, unsigned patience_ms)
{
    enum { DYING_MS = 50, MS_IN_S = 1000, NS_IN_MS = 1000000 };
    struct child child;
    sigset_t all;
    int result = child_start(&child, name, work, argument);
    if (result < 0)
        return result;
    struct pollfd end = {.fd = child.fd, .events = POLLIN};
    struct timespec patience = {patience_ms / MS_IN_S, patience_ms % MS_IN_S * NS_IN_MS};
    sigfillset(&all);
    if (ppoll(&end, 1, &patience, &all) > 0)
        return child_wait(&child);
    if (!child_kill(&child, DYING_MS))
        child_leave(&child);
    return -ETIMEDOUT;
}
