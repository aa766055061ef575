/* SPDX-License-Identifier: MIT
 *
 * A call that is not in the list fails with EACCES. Nothing is killed for it: the tracer's death would end the
 * sampling, and a call that another version of the C library makes is no attack. The kernel's log has a line for each.
 *
 * Landlock cannot confine the tracer's files: it also forbids to trace processes that it does not confine. A root
 * directory of its own would not either, because /proc/PID/root leads out of it. */
#include "tracer/loop/confine.h"

#include "common/base/kernel.h"
#include "common/confine/calls.h"
#include "common/confine/confine.h"
#include "tracer/tracee/memory.h"
#include "tracer/tracee/procfs.h"

#include <asm/ioctls.h>
#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    CREATING = O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY),
    NAMESPACES =
        CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET,
};

/* What the tracer may do, the most frequent calls first. A call that an ordinary recording does not make has a comment
 * in its line, which says who makes it; tests/e2e/confinement.sh checks this. */
/* clang-format off */
#define ALLOW(call) {.number = SYS_##call}
#define ALLOW_IF(call, argument, value) {.number = SYS_##call, CONFINE_IF(argument, value)}
#define ALLOW_WITHOUT(call, argument, bits) {.number = SYS_##call, CONFINE_WITHOUT(argument, bits)}

static const struct confine_call allowed[] = {
    /* tracing, and reading its threads' memory and files of /proc */
    ALLOW(futex),
    ALLOW(ptrace),
    ALLOW(pread64),
    ALLOW(waitid),
    ALLOW(process_vm_readv),
    ALLOW(process_vm_writev), /* results of the emulated calls */
    ALLOW(read), /* proc_enter, the C library */
    ALLOW(write),
    ALLOW(pwrite64), /* breakpoints */
    ALLOW(close),
    ALLOW_WITHOUT(openat, 2, CREATING), /* not of paths outside of /proc: no filter can see that */
    ALLOW(readlinkat),
    ALLOW(newfstatat),
    ALLOW(fstat), /* another C library */
    ALLOW(statx), /* restart/files */
    ALLOW(getdents64),
    ALLOW(getxattr), /* restart/files: the kind of a socket */
    ALLOW(lseek), /* a folder that is read again */
    ALLOW(kcmp),
    ALLOW(wait4), /* a copier that could not be started */
    ALLOW(get_robust_list), /* --clock=wall */
    ALLOW_IF(fcntl, 1, F_GETFL),
    ALLOW_IF(fcntl, 1, F_GETFD), /* another C library */
    ALLOW_IF(fcntl, 1, F_SETFD),
    ALLOW_IF(ioctl, 1, TCGETS), /* restart/terminal */
    ALLOW_IF(ioctl, 1, TCGETS2), /* restart/terminal, with another C library */
    ALLOW(pidfd_open),
    ALLOW(pidfd_getfd), /* restart/duplicate */
    ALLOW(getsockopt), /* restart/socket */
    ALLOW(epoll_create1),
    ALLOW(epoll_ctl),
    ALLOW(epoll_pwait), /* arm64 */
#ifdef SYS_epoll_wait
    ALLOW(epoll_wait),
#endif
    /* time and scheduling */
    ALLOW(timer_create),
    ALLOW(timer_settime),
    ALLOW(timer_delete),
    ALLOW(clock_gettime),
    ALLOW(clock_getres),
    ALLOW(clock_nanosleep),
    ALLOW(nanosleep), /* another C library */
    ALLOW(restart_syscall), /* a sleep that a signal interrupted */
    ALLOW(setitimer), /* tracee/memory: alarm on arm64 */
#ifdef SYS_alarm
    ALLOW(alarm), /* tracee/memory */
#endif
    ALLOW(sched_getaffinity),
    ALLOW(sched_setaffinity),
    ALLOW(sched_getattr),
    ALLOW(sched_setattr), /* without the right to a real-time priority */
    ALLOW(sched_setscheduler),
    ALLOW(sched_getscheduler),
    ALLOW(sched_get_priority_min),
    ALLOW(sched_get_priority_max), /* clock/ticker, with a real-time priority */
    ALLOW(getcpu), /* arm64 */
    ALLOW(sched_yield), /* the C library */
    /* the front's commands, and no new sockets or addresses */
    ALLOW(recvfrom),
    ALLOW_IF(sendto, 4, 0),
    /* its signals and threads, and the copier */
    ALLOW(rt_sigaction),
    ALLOW(rt_sigprocmask),
    ALLOW(rt_sigreturn),
    ALLOW(rt_sigtimedwait), /* loop/tick: for a stop that has not come yet, so not on each machine */
    ALLOW(sigaltstack),
    ALLOW(pidfd_send_signal), /* an end of the copier that is not the tracer's */
    ALLOW_IF(kill, 1, SIGKILL), /* a copier that could not be started */
    ALLOW_WITHOUT(clone, 0, NAMESPACES), /* the copier, and threads */
    ALLOW(clone3), /* see without_clone3 */
    ALLOW(close_range), /* the copier */
    ALLOW(fchdir), /* the copier */
    ALLOW(set_robust_list),
    ALLOW(set_tid_address), /* another C library */
    ALLOW(rseq),
    ALLOW_IF(prctl, 0, PR_SET_NAME),
    ALLOW_IF(prctl, 0, PR_SET_TIMERSLACK),
    ALLOW_IF(prctl, 0, PR_SET_PDEATHSIG),
    ALLOW(getpid),
    ALLOW(getppid),
    ALLOW(gettid),
    ALLOW(uname), /* arch_takes_mark */
    ALLOW(exit), /* a thread that ends before the process does */
    ALLOW(exit_group),
    /* memory, without code */
    ALLOW(brk), /* the C library */
    ALLOW_WITHOUT(mmap, 2, PROT_EXEC),
    ALLOW_WITHOUT(mprotect, 2, PROT_EXEC),
    ALLOW(mremap), /* the C library */
    ALLOW(munmap), /* the C library */
    ALLOW(madvise), /* the C library */
    ALLOW(getrandom),
    ALLOW(sysinfo), /* the C library's qsort */
    ALLOW_IF(prlimit64, 2, 0), /* limits are read, not set */
};
/* clang-format on */

/* To trace processes of all users, to open their files in /proc, and for a real-time priority. */
static const uint64_t kept =
    1U << CAP_SYS_PTRACE | 1U << CAP_DAC_OVERRIDE | 1U << CAP_DAC_READ_SEARCH | 1U << CAP_SYS_NICE;

/* Its flags are in memory, where a filter cannot read them. The C library then uses clone. A filter of its own, so that
 * the log does not have this. */
static const struct confine_call without_clone3 = {.number = SYS_clone3, .action = CONFINE_LACK};

unsigned confine_tracer(pid_t front)
{
    enum { COUNT = sizeof allowed / sizeof *allowed, MORE = 3 };
    struct confine_call calls[COUNT + MORE] = {
        [COUNT] = ALLOW_IF(ioctl, 1, memory_query()),
        [COUNT + 1] = ALLOW_IF(tgkill, 0, getpid()),
        [COUNT + 2] = ALLOW_IF(kill, 0, front),
    };
    memcpy(calls, allowed, sizeof allowed);
    procfs_note_filters();
    unsigned refused = confine_capabilities_tracing(kept) < 0 ? 1U << CONFINE_CAPABILITIES : 0;
    if (confine_calls_else(&without_clone3, 1, CONFINE_ALLOW) < 0 ||
        confine_calls_else(calls, COUNT + MORE, CONFINE_REFUSE) < 0)
        refused |= 1U << CONFINE_CALLS;
    return refused;
}
