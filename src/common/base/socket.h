/* SPDX-License-Identifier: MIT
 *
 * Messages between our own processes by Unix sockets, also with an open file. */
#ifndef BASE_SOCKET_H
#define BASE_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

struct buffer;

/* Sends the COUNT PARTS on SOCKET in one call with FLAGS of send(2), and with them a copy of descriptor FD unless that
 * is -1. Returns the number of bytes that were sent, or -errno. */
ssize_t socket_send_once(int socket, const struct iovec *parts, size_t count, int fd, int flags);

/* Receives at most SIZE bytes from SOCKET in one call with FLAGS of recv(2). If a descriptor came with them, sets *FD
 * to it, which the caller closes; without FD (NULL) none is taken. Returns the number of bytes, 0 at the end, or
 * -errno. */
ssize_t socket_receive_once(int socket, void *bytes, size_t size, int *fd, int flags);

/* Sends all SIZE bytes on SOCKET. Returns false if the other side is gone, or takes longer than SO_SNDTIMEO. */
bool socket_send(int socket, const void *bytes, size_t size);

/* The same for the COUNT PARTS, which it changes, and a copy of descriptor FD unless that is -1. */
bool socket_send_parts(int socket, struct iovec *parts, size_t count, int fd);

/* Receives SIZE bytes from SOCKET. Takes a descriptor as socket_receive_once. Returns false if the other side is gone,
 * or takes longer than SO_RCVTIMEO. */
bool socket_receive(int socket, void *bytes, size_t size, int *fd);

/* Replaces BUFFER's content by SIZE bytes from SOCKET. It grows as they come, so SIZE need not be trusted. Returns as
 * socket_receive; false also if memory runs out. */
bool socket_receive_buffer(int socket, struct buffer *buffer, uint64_t size);

#endif
