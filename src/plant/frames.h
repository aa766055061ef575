/* SPDX-License-Identifier: MIT
 *
 * What the frames of a stack have. The frame that the kernel makes for a handler has the place that was interrupted,
 * to which the thread returns. */
#ifndef PLANT_FRAMES_H
#define PLANT_FRAMES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Looks at the words on the stack of live thread TID from SP on, 256 KiB at the most, and at none for which somebody
 * else would have to be waited for (userfaultfd, FUSE). FD: its memory, as procfs_open_memory gives it. Returns 1 if
 * IS, given CONTEXT, says so of one of them, 0 if of none, or -EFAULT if none exists to be read. May be called in a
 * handler of signals. */
int frames_have(int fd, pid_t tid, uint64_t sp, bool (*is)(const void *context, uint64_t word), const void *context);

#endif
