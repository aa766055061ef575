/* SPDX-License-Identifier: MIT */
#include "tracer/tracee/launch.h"

#include "common/base/error.h"
#include "tracer/tracee/request.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STATUS_NOT_RUN = 127 };

static ssize_t read_fully(int fd, void *bytes, size_t size)
{
    ssize_t got;
    do
        got = read(fd, bytes, size);
    while (got < 0 && errno == EINTR);
    return got;
}

static void send_or_exit(int fd, const void *bytes, size_t size)
{
    if (write(fd, bytes, size) < 0)
        _exit(STATUS_NOT_RUN); /* the front has gone */
}

/* systemd passes the number of the process that it starts, and a service compares it with its own. FRONT is that
 * process: the command takes its place. */
static void take_place_of(pid_t front)
{
    static const char *const names[] = {"LISTEN_PID", "WATCHDOG_PID", "SYSTEMD_EXEC_PID"};
    char own[16], its[16];
    snprintf(its, sizeof its, "%d", (int)front);
    snprintf(own, sizeof own, "%d", (int)getpid());
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && !strcmp(value, its))
            setenv(names[i], own, 1);
    }
}

static _Noreturn void become_command(char *const argv[], pid_t tracer, const struct launch_inheritance *inheritance,
                                     int go, int answer)
{
    char byte = 0;
    prctl(PR_SET_PTRACER, tracer, 0, 0, 0); /* for Yama; without Yama this fails, and is not needed */
    send_or_exit(answer, &byte, 1);
    if (read_fully(go, &byte, 1) != 1)
        _exit(STATUS_NOT_RUN);
    sigaction(SIGCHLD, &inheritance->child, NULL);
    sigprocmask(SIG_SETMASK, &inheritance->mask, NULL);
    take_place_of(getppid());
    execvp(argv[0], argv);
    int failed = errno;
    send_or_exit(answer, &failed, sizeof failed);
    _exit(STATUS_NOT_RUN);
}

static void close_pair(const int pair[2])
{
    close(pair[0]);
    close(pair[1]);
}

int launch_prepare(struct launch *launch, char *const argv[], pid_t tracer,
                   const struct launch_inheritance *inheritance, struct error *error)
{
    int go[2], answer[2];
    char byte;

    if (pipe2(go, O_CLOEXEC) < 0)
        return error_system(error, errno, "cannot make a pipe");
    if (pipe2(answer, O_CLOEXEC) < 0) {
        close_pair(go);
        return error_system(error, errno, "cannot make a pipe");
    }
    pid_t pid = fork();
    if (pid == 0) {
        close(go[1]);
        close(answer[0]);
        become_command(argv, tracer, inheritance, go[0], answer[1]);
    }
    int failed = errno;
    close(go[0]);
    close(answer[1]);
    *launch = (struct launch){pid, go[1], answer[0]};
    if (pid < 0 || read_fully(answer[0], &byte, 1) != 1) {
        launch_abandon(launch);
        return error_system(error, pid < 0 ? failed : ECHILD, "cannot start a process for '%s'", argv[0]);
    }
    return 0;
}

int launch_go(struct launch *launch)
{
    int failed = 0;
    char byte = 0;
    ssize_t got = write(launch->go, &byte, 1);
    if (got == 1)
        got = read_fully(launch->answer, &failed, sizeof failed);
    launch_abandon(launch);
    return got == sizeof failed ? -failed : 0;
}

void launch_abandon(struct launch *launch)
{
    close(launch->go);
    close(launch->answer);
    launch->go = launch->answer = -1;
}

int launch_try_tracing(void)
{
    pid_t pid = fork();
    if (pid < 0)
        return -errno;
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        for (;;)
            pause();
    }
    int result = request_seize(pid, false, false);
    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
        continue;
    return result;
}
