/* SPDX-License-Identifier: MIT
 *
 * Searches the frames of a stack. The frame that the kernel makes for a signal handler contains the interrupted
 * address, to which the thread returns. */
#ifndef PLANT_FRAMES_H
#define PLANT_FRAMES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Calls IS with CONTEXT for each word on the stack of live thread TID from SP upwards, at most 256 KiB. Skips pages
 * that somebody else must supply (userfaultfd, FUSE). FD: its memory, from procfs_open_memory. Returns 1 if IS
 * returned true for a word, 0 if for none, or -EFAULT if nothing could be read. May be called in a signal handler. */
int frames_have(int fd, pid_t tid, uint64_t sp, bool (*is)(const void *context, uint64_t word), const void *context);

#endif
