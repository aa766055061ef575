/* SPDX-License-Identifier: MIT
 *
 * Short-lived duplicates of a tracee's descriptors. */
#ifndef RESTART_DUPLICATE_H
#define RESTART_DUPLICATE_H

#include <sys/types.h>

/* Returns a duplicate, in this process, of descriptor FD of thread TID of process PID, or -errno. */
int duplicate_open(pid_t pid, pid_t tid, int fd);

/* If the tracee has closed its own descriptor, this closes the file, and waits if a socket lingers or a terminal has
 * output. plant/breaker.h ends that wait. */
void duplicate_close(int fd);

#endif
