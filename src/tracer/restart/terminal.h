/* SPDX-License-Identifier: MIT
 *
 * Queries a tracee's terminal through a duplicate of its descriptor, which is closed at once. */
#ifndef RESTART_TERMINAL_H
#define RESTART_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Returns true, with *LENGTH_NS set, if descriptor FD of thread TID of process PID is a terminal whose reads have a
 * timeout: raw mode with VMIN 0 and VTIME. */
bool terminal_timeout(pid_t pid, pid_t tid, int fd, uint64_t *length_ns);

#endif
