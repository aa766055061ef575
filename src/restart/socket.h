/* SPDX-License-Identifier: MIT
 *
 * What is asked of a tracee's socket, by a descriptor of our own that is closed at once. */
#ifndef RESTART_SOCKET_H
#define RESTART_SOCKET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* To close that descriptor may wait: see plant/breaker.h. How long descriptor FD of thread TID of process PID waits:
 * to send, if SENDING, else to receive. *LENGTH_NS is what the kernel has made of what was set, as model/timeout.h has
 * it; *FAMILY that of its addresses. Returns 0, or -errno with both untouched: -ENOTSOCK if it is no socket, or none of
 * a family of which it is known that it waits so long. */
int socket_timeout(pid_t pid, pid_t tid, int fd, bool sending, uint64_t *length_ns, int *family);

#endif
