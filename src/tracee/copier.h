/* SPDX-License-Identifier: MIT
 *
 * Copies between our memory and that of another process. process_vm_readv() can block forever on a page that a
 * userfaultfd or a FUSE file system is to bring, or while a thread there is changing the map of the memory, and only
 * SIGKILL ends that. So a helper process makes the call, and is killed if it takes too long. */
#ifndef TRACEE_COPIER_H
#define TRACEE_COPIER_H

#include "model/runs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct copy {
    pid_t tid;        /* a live thread of the other process */
    uint64_t address; /* there */
    void *bytes;      /* here; only read if WRITE */
    size_t size;
    bool write;        /* to there */
    bool write_only;   /* the memory there is mapped for writing alone, but to be read */
    const char *words; /* not memory, but texts that /proc/TID has under this name: "cmdline" or "environ". ADDRESS is
                          the offset in them. NULL: memory */
};

/* Copies at once, in this thread, however long that takes. Returns how many bytes could be copied, from the beginning
 * on, or -errno if none. */
ssize_t copier_at_once(const struct copy *copy);

/* Reads COUNT RUNS (at most RUNS_MOST) of the memory of thread TID into BYTES, one behind the other, in one system
 * call. Returns as copier_at_once. */
ssize_t copier_runs_at_once(pid_t tid, const struct memory_run *runs, size_t count, void *bytes);

/* As copier_at_once, but it takes no longer than some tens of milliseconds of sleep: then -ETIMEDOUT is returned, and
 * how much was copied is not known. -EPERM if that process may not, or cannot be made; -EAGAIN if too many of them are
 * stuck. */
ssize_t copier_in_time(const struct copy *copy);

#endif
