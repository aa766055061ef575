/* SPDX-License-Identifier: MIT */
#include "common/base/socket.h"

#include "common/base/buffer.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

/* Room for one descriptor. */
union control {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
};

ssize_t socket_send_once(int socket, const struct iovec *parts, size_t count, int fd, int flags)
{
    union control control = {
        .header = {.cmsg_len = CMSG_LEN(sizeof fd), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
    struct msghdr message = {.msg_iov = (struct iovec *)(uintptr_t)parts, .msg_iovlen = count};
    if (fd >= 0) {
        memcpy(CMSG_DATA(&control.header), &fd, sizeof fd);
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
    }
    ssize_t sent = sendmsg(socket, &message, flags | MSG_NOSIGNAL);
    return sent < 0 ? -errno : sent;
}

ssize_t socket_receive_once(int socket, void *bytes, size_t size, int *fd, int flags)
{
    union control control;
    struct iovec part = {bytes, size};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = fd ? &control : NULL,
                             .msg_controllen = fd ? sizeof control : 0};
    ssize_t got = recvmsg(socket, &message, flags | MSG_CMSG_CLOEXEC);
    if (got < 0)
        return -errno;
    const struct cmsghdr *first = CMSG_FIRSTHDR(&message);
    if (first && first->cmsg_level == SOL_SOCKET && first->cmsg_type == SCM_RIGHTS)
        memcpy(fd, CMSG_DATA(first), sizeof *fd);
    return got;
}

bool socket_send_parts(int socket, struct iovec *parts, size_t count, int fd)
{
    while (count) {
        ssize_t sent = socket_send_once(socket, parts, count, fd, 0);
        if (sent == -EINTR)
            continue;
        if (sent <= 0)
            return false;
        fd = -1;
        for (; count && (size_t)sent >= parts->iov_len; parts++, count--)
            sent -= (ssize_t)parts->iov_len;
        if (count) {
            parts->iov_base = (char *)parts->iov_base + sent;
            parts->iov_len -= (size_t)sent;
        }
    }
    return true;
}

bool socket_send(int socket, const void *bytes, size_t size)
{
    struct iovec part = {(void *)(uintptr_t)bytes, size};
    return !size || socket_send_parts(socket, &part, 1, -1);
}

bool socket_receive(int socket, void *bytes, size_t size, int *fd)
{
    for (size_t got = 0; got < size;) {
        ssize_t one = socket_receive_once(socket, (char *)bytes + got, size - got, fd, 0);
        if (one == -EINTR)
            continue;
        if (one <= 0)
            return false;
        got += (size_t)one;
    }
    return true;
}

bool socket_receive_buffer(int socket, struct buffer *buffer, uint64_t size)
{
    char bytes[65536];
    buffer->length = 0;
    for (uint64_t left = size, part; left; left -= part) {
        part = left < sizeof bytes ? left : sizeof bytes;
        if (!socket_receive(socket, bytes, part, NULL) || !buffer_append(buffer, bytes, part))
            return false;
    }
    return true;
}
