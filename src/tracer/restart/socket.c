/* SPDX-License-Identifier: MIT */
#include "tracer/restart/socket.h"

#include "common/model/timeout.h"
#include "tracer/restart/duplicate.h"
#include "tracer/tracee/procfs.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>

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
    int copy = duplicate_open(pid, tid, fd);
    if (copy < 0)
        return copy;
    int result = read_timeout(copy, inode, sending, length_ns, family);
    duplicate_close(copy);
    return result;
}
