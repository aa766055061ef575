/* SPDX-License-Identifier: MIT
 *
 * Queries a tracee's socket through a duplicate of its descriptor, which is closed at once. */
#ifndef RESTART_SOCKET_H
#define RESTART_SOCKET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Sets *LENGTH_NS to the timeout of descriptor FD of thread TID of process PID: for sending if SENDING, otherwise
 * for receiving. The length is the value that the kernel uses, see model/timeout.h. Sets *FAMILY to the address
 * family. Returns 0, or -errno with both untouched: -ENOTSOCK if FD is not a socket, or of a family that is not
 * known to honour this timeout. Closing the duplicate may wait: see plant/breaker.h. */
int socket_timeout(pid_t pid, pid_t tid, int fd, bool sending, uint64_t *length_ns, int *family);

#endif
