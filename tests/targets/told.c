/* SPDX-License-Identifier: MIT
 *
 * Whether this kernel still tells the first argument of a system call that a stop has interrupted, where the result has
 * taken its place (arm64): 0 if it does, 1 if not. */
#include "target.h"

#include <elf.h>
#include <sys/epoll.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

static bool sleeps_in(pid_t pid, char *text, size_t size)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/%d/syscall", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, text, size - 1);
    CHECK(got >= 0);
    text[got] = 0;
    close(fd);
    return text[0] >= '0' && text[0] <= '9';
}

int main(void)
{
    char before[200] = "", after[200] = "";
    struct epoll_event event;
    int number, status, fd = epoll_create1(EPOLL_CLOEXEC);
    struct iovec place = {&number, sizeof number};
    pid_t child = fork();
    CHECK(fd >= 0 && child >= 0);
    while (child == 0)
        epoll_wait(fd, &event, 1, -1);
    while (!sleeps_in(child, before, sizeof before))
        nap_ms(1);
    number = atoi(before);
    CHECK(ptrace(PTRACE_SEIZE, child, 0, 0) == 0 && ptrace(PTRACE_INTERRUPT, child, 0, 0) == 0);
    CHECK(waitpid(child, &status, __WALL) == child && WIFSTOPPED(status));
    bool told = ptrace(PTRACE_SETREGSET, child, NT_ARM_SYSTEM_CALL, &place) == 0 &&
                sleeps_in(child, after, sizeof after) && strcmp(before, after) == 0;
    kill(child, SIGKILL);
    printf("before: %safter: %s", before, after);
    return told ? 0 : 1;
}
