/* SPDX-License-Identifier: MIT */
#include "pacer.h"

#include <elf.h>
#include <errno.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

static pid_t await(pid_t tracee, int *status, bool spin)
{
    pid_t pid;

    do
        pid = wait4(tracee, status, __WALL | (spin ? WNOHANG : 0), NULL);
    while (pid == 0 || (pid < 0 && errno == EINTR));
    return pid;
}

/* Lets a stopped tracee go on: a signal is delivered, a group-stop stays one. */
static void resume(pid_t tracee, int status)
{
    int signo = WSTOPSIG(status);

    if (status >> 16 == 0)
        ptrace(PTRACE_CONT, tracee, NULL, (void *)(intptr_t)signo);
    else if (status >> 16 == PTRACE_EVENT_STOP && signo != SIGTRAP)
        ptrace(PTRACE_LISTEN, tracee, NULL, NULL);
    else
        ptrace(PTRACE_CONT, tracee, NULL, NULL);
}

/* INTERRUPT, unless the tracee has already stopped. If the tracee was in another stop at the last INTERRUPT, it stops
 * again for that INTERRUPT as soon as it is resumed. Another INTERRUPT would keep it stopping without end. */
static pid_t stop(struct pacer *p, pid_t tracee, int *status)
{
    pid_t pid = 0;

    if (p->other_stop)
        pid = wait4(tracee, status, __WALL | WNOHANG, NULL);
    if (pid != 0)
        return pid;
    ptrace(PTRACE_INTERRUPT, tracee, NULL, NULL);
    return await(tracee, status, p->how.spin);
}

enum stop_result stop_once(struct pacer *p, pid_t tracee, int *status)
{
    struct user_regs_struct regs;
    struct iovec io = {.iov_base = &regs, .iov_len = sizeof regs};

    if (stop(p, tracee, status) != tracee || !WIFSTOPPED(*status))
        return STOP_ENDED;
    p->other_stop = *status >> 16 != PTRACE_EVENT_STOP || WSTOPSIG(*status) != SIGTRAP;
    ptrace(PTRACE_GETREGSET, tracee, (void *)NT_PRSTATUS, &io);
    if (p->how.gate)
        pin(tracee, p->cpu);
    resume(tracee, *status);
    if (p->how.gate)
        pin(tracee, -1);
    return STOP_DONE;
}
