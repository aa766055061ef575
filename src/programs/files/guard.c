/* SPDX-License-Identifier: MIT */
#include "programs/files/guard.h"

#include "common/arch/code.h"
#include "common/arch/machine.h"
#include "programs/files/fetch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool is_up;

/* A relative path begins in the working directory. */
static long open_instead(const void *context, bool at)
{
    const char *path = (const char *)arch_context_argument(context, at);
    if (((int)arch_context_argument(context, at + 1u) & (O_ACCMODE | O_CREAT | O_TRUNC | O_PATH)) != O_RDONLY ||
        (at && *path != '/' && (int)arch_context_argument(context, 0) != AT_FDCWD))
        return -EACCES;
    return fetch_open(FETCH_OF_LIBRARY, path);
}

/* The C library's realpath asks for each part of a path, with a buffer of at least 1024 bytes. Only our links to open
 * files are links, and lead to real paths. */
static long read_link_instead(const void *context, bool at)
{
    enum { LEAST = 1024 };
    static const char links[] = "/proc/self/fd/";
    const char *path = (const char *)arch_context_argument(context, at);
    char *to = (char *)arch_context_argument(context, at + 1u);
    if (strncmp(path, links, sizeof links - 1) != 0)
        return -EINVAL;
    const char *place = fetch_place(atoi(path + sizeof links - 1));
    size_t length = strlen(place);
    if (!length || length >= LEAST)
        return -EACCES;
    memcpy(to, place, length);
    return (long)length;
}

static void answer_instead(int signal, siginfo_t *info, void *context)
{
    int saved = errno;
    long result = -EACCES;
    (void)signal;
    if (info->si_syscall == SYS_openat || info->si_syscall == ARCH_SYS_OPEN)
        result = open_instead(context, info->si_syscall == SYS_openat);
    else if (info->si_syscall == SYS_readlinkat || info->si_syscall == ARCH_SYS_READLINK)
        result = read_link_instead(context, info->si_syscall == SYS_readlinkat);
    arch_context_answer(context, result);
    errno = saved;
}

int guard_prepare(void)
{
    struct sigaction action;
    sigset_t set;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = answer_instead;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&set);
    sigaddset(&set, SIGSYS);
    return sigaction(SIGSYS, &action, NULL) < 0 || sigprocmask(SIG_UNBLOCK, &set, NULL) < 0 ? -errno : 0;
}

void guard_begin(void)
{
    is_up = true;
}

bool guard_is_up(void)
{
    return is_up;
}
