/* SPDX-License-Identifier: MIT */
#include "programs/files/guard.h"

#include "common/arch/code.h"
#include "common/arch/machine.h"
#include "common/base/proc.h"
#include "programs/files/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

static bool is_up;

/* Opens the file instead of the trapped system call. A relative path begins in the working directory. */
static void open_instead(int signal, siginfo_t *info, void *context)
{
    bool at = info->si_syscall == SYS_openat;
    const char *path = (const char *)arch_context_argument(context, at);
    int saved = errno, result = -EACCES;
    (void)signal;
    if (((int)arch_context_argument(context, at + 1u) & (O_ACCMODE | O_CREAT | O_TRUNC)) == O_RDONLY &&
        (!at || *path == '/' || (int)arch_context_argument(context, 0) == AT_FDCWD))
        result = regular_open_here(path);
    arch_context_answer(context, result);
    errno = saved;
}

/* Allows opening with O_PATH, or with REGULAR_FLAGS, which regular_open_here uses. */
static int filter(void)
{
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define IF(test, value, yes, no) BPF_JUMP(BPF_JMP | test | BPF_K, value, yes, no)
#define RETURN(value) BPF_STMT(BPF_RET | BPF_K, value)
    struct sock_filter steps[] = {
        LOAD(arch),
        IF(BPF_JEQ, ARCH_AUDIT, 1, 0),
        RETURN(SECCOMP_RET_KILL_PROCESS),
        LOAD(nr),
        IF(BPF_JEQ, SYS_openat, 5, 0),
        IF(BPF_JEQ, ARCH_SYS_OPEN, 6, 0),
        IF(BPF_JEQ, SYS_openat2, 2, 0),
        IF(BPF_JEQ, ARCH_SYS_CREAT, 1, 0),
        RETURN(SECCOMP_RET_ALLOW),
        RETURN(SECCOMP_RET_ERRNO | EACCES),
        LOAD(args[2]),
        IF(BPF_JSET, O_PATH | REGULAR_FLAGS, 2, 3),
        LOAD(args[1]),
        IF(BPF_JSET, O_PATH | REGULAR_FLAGS, 0, 1),
        RETURN(SECCOMP_RET_ALLOW),
        RETURN(SECCOMP_RET_TRAP),
    };
#undef LOAD
#undef IF
#undef RETURN
    struct sock_fprog program = {sizeof steps / sizeof *steps, steps};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
        return -errno;
    return 0;
}

/* Forbids all opens: without new descriptors, the kernel refuses them before it looks at the name. */
static int open_nothing(void)
{
    const struct rlimit none = {0, 0};
    return setrlimit(RLIMIT_NOFILE, &none) < 0 ? -errno : 0;
}

int guard_begin(void)
{
    struct sigaction action;
    sigset_t set;
    int result;
    proc_prove(NULL); /* opens /proc by its name, which is not possible later */
    memset(&action, 0, sizeof action);
    action.sa_sigaction = open_instead;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&set);
    sigaddset(&set, SIGSYS);
    if (sigaction(SIGSYS, &action, NULL) < 0 || sigprocmask(SIG_UNBLOCK, &set, NULL) < 0)
        return -errno;
    result = filter();
    if (result < 0)
        result = open_nothing();
    is_up = result == 0;
    return result;
}

bool guard_is_up(void)
{
    return is_up;
}
