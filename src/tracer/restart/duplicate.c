/* SPDX-License-Identifier: MIT */
#include "tracer/restart/duplicate.h"

#include "common/base/kernel.h"
#include "tracer/plant/breaker.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PIDFD_OF_THREAD = O_EXCL /* from Linux 6.9 on */ };

/* Before Linux 6.9, the descriptor is taken from the first thread of the process, which mostly has the same files. */
int duplicate_open(pid_t pid, pid_t tid, int fd)
{
    if (!breaker_have())
        return -EAGAIN;
    int holder = (int)syscall(SYS_pidfd_open, tid, PIDFD_OF_THREAD);
    if (holder < 0 && errno == EINVAL)
        holder = (int)syscall(SYS_pidfd_open, pid, 0);
    if (holder < 0)
        return -errno;
    int copy = (int)syscall(SYS_pidfd_getfd, holder, fd, 0);
    int result = copy < 0 ? -errno : copy;
    close(holder);
    return result;
}

void duplicate_close(int fd)
{
    breaker_run(true);
    close(fd);
    breaker_run(false);
}
