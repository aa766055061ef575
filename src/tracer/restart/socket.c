/* SPDX-License-Identifier: MIT */
#include "tracer/restart/socket.h"

#include "common/model/timeout.h"
#include "tracer/plant/breaker.h"
#include "tracer/tracee/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

enum { PIDFD_OF_THREAD = O_EXCL /* from Linux 6.9 on */ };

/* Returns a duplicate of the descriptor in this process, or -errno. Before Linux 6.9, it is taken from the first
 * thread of the process, which mostly has the same files. */
static int duplicate(pid_t pid, pid_t tid, int fd)
{
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

/* If the tracee has closed its own descriptor, our close() closes the socket, and waits if the socket lingers. Any
 * signal ends that wait. */
static void close_soon(int fd)
{
    breaker_run(true);
    close(fd);
    breaker_run(false);
}

static bool is_known(int family)
{
    return family == AF_UNIX || family == AF_INET || family == AF_INET6 || family == AF_NETLINK || family == AF_PACKET;
}

static int read_timeout(int fd, uint64_t inode, bool sending, uint64_t *length_ns, int *family)
{
    struct stat seen;
    struct timeval length;
    int domain;
    socklen_t size = sizeof length, domain_size = sizeof domain;
    if (fstat(fd, &seen) < 0 || !S_ISSOCK(seen.st_mode) || seen.st_ino != inode)
        return -ENOTSOCK; /* the descriptor was reused, or belongs to another table */
    if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &domain_size) < 0 ||
        getsockopt(fd, SOL_SOCKET, sending ? SO_SNDTIMEO : SO_RCVTIMEO, &length, &size) < 0)
        return -errno;
    if (!is_known(domain))
        return -ENOTSOCK;
    bool endless = !length.tv_sec && !length.tv_usec;
    *length_ns = endless ? TIMEOUT_NONE : timeout_length(length.tv_sec, length.tv_usec * 1000);
    *family = domain;
    return 0;
}

/* Duplicates only sockets, as far as possible, because closing another file may have side effects. */
int socket_timeout(pid_t pid, pid_t tid, int fd, bool sending, uint64_t *length_ns, int *family)
{
    uint64_t inode;
    if (!procfs_socket(tid, fd, &inode))
        return -ENOTSOCK;
    if (!breaker_have())
        return -EAGAIN;
    int copy = duplicate(pid, tid, fd);
    if (copy < 0)
        return copy;
    int result = read_timeout(copy, inode, sending, length_ns, family);
    close_soon(copy);
    return result;
}
