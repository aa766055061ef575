/* SPDX-License-Identifier: MIT
 *
 * Copies between our memory and another process's memory. process_vm_readv() can block forever: on a page that a
 * userfaultfd or a FUSE file system must supply, or while a thread of the other process changes its memory map. Only
 * SIGKILL ends that. So a helper process makes the call, and is killed if it takes too long. */
#ifndef TRACEE_COPIER_H
#define TRACEE_COPIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct memory_run;

struct copy {
    pid_t tid;        /* a live thread of the other process */
    uint64_t address; /* in the other process */
    void *bytes;      /* ours; only read if WRITE */
    size_t size;
    bool write;        /* to the other process */
    bool write_only;   /* read memory that is mapped for writing only */
    const char *words; /* copy the text of /proc/TID/WORDS, "cmdline" or "environ", instead of memory; ADDRESS is the
                        * offset in it. NULL: memory */
};

/* Copies in this thread, however long that takes. Returns how many bytes were copied, from the beginning, or -errno
 * if none. */
ssize_t copier_at_once(const struct copy *copy);

/* Reads COUNT RUNS (at most RUNS_MOST) of the memory of thread TID into BYTES, one after the other, in one system
 * call. Returns as copier_at_once. */
ssize_t copier_runs_at_once(pid_t tid, const struct memory_run *runs, size_t count, void *bytes);

/* Like copier_at_once, but returns -ETIMEDOUT after some tens of milliseconds of sleep; then it is unknown how much was
 * copied. Returns -EPERM if the helper process is not permitted or cannot be made, and -EAGAIN if too many of them are
 * stuck. */
ssize_t copier_in_time(const struct copy *copy);

#endif
