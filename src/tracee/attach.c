/* SPDX-License-Identifier: MIT
 *
 * Beginning to trace a process that runs. */
#include "base/buffer.h"
#include "base/proc.h"
#include "tracee/files.h"
#include "tracee/follow_parts.h"
#include "tracee/memory.h"
#include "tracee/procfs.h"
#include "tracee/request.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ATTACH_PASSES = 1000, QUIET_PASSES = 2, SEIZE_TRIES = 5, SHARERS_DEPTH = 8, CHILDREN_LIMIT = 1 << 16 };

/* True if TID is known and traced. One that is known may be another thread by now: when a thread that was not traced yet
 * calls exec, it takes the leader's tid. */
static bool is_ours(struct follow *follow, pid_t tid)
{
    pid_t pid, parent;
    struct thread *thread = table_thread(&follow->table, tid);
    if (thread && procfs_family(tid, &pid, &parent))
        return true;
    if (thread)
        table_remove_thread(&follow->table, thread);
    return false;
}

/* Seizes thread TID of PROCESS, unless the kernel has already attached it for us. Returns 1 if it is new, 0 if it is known
 * or gone, or -errno. */
static int seize_thread(struct follow *follow, struct process *process, pid_t tid)
{
    pid_t pid, parent;
    if (is_ours(follow, tid))
        return 0;
    int result = -EPERM;
    /* A thread that is ending is refused; at an exec another one may have its tid at once. */
    for (int i = 0; i < SEIZE_TRIES && result == -EPERM; i++) {
        result = request_seize(tid, follow->children || follow->births);
        if (result == -EPERM && procfs_family(tid, &pid, &parent))
            result = 0;
        if (result == -ESRCH || (result < 0 && procfs_is_dead(process->pid, tid)))
            return 0;
    }
    if (result < 0)
        return result;
    struct thread *thread = table_add_thread(&follow->table, process, tid);
    if (!thread)
        return -ENOMEM;
    thread->busy = true;
    return 1;
}

/* Seizes the threads that are there now. Returns how many were new, or -errno if one could not be. */
static int seize_threads(struct follow *follow, struct process *process)
{
    char path[40];
    int count = 0, result = 0;
    snprintf(path, sizeof path, "/proc/%d/task", (int)process->pid);
    DIR *directory = proc_opendir(path);
    const struct dirent *entry;
    if (!directory)
        return errno == ENOENT ? -ESRCH : -errno;
    while (result >= 0 && (entry = readdir(directory))) {
        pid_t tid = (pid_t)atoi(entry->d_name);
        result = tid > 0 ? seize_thread(follow, process, tid) : 0;
        count += result > 0;
    }
    closedir(directory);
    return result < 0 ? result : count;
}

static void seize_all(const struct follow *follow, pid_t pid)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *directory = proc_opendir(path);
    for (const struct dirent *entry; directory && (entry = readdir(directory));)
        if (atoi(entry->d_name) > 0)
            request_seize((pid_t)atoi(entry->d_name), follow->children || follow->births);
    if (directory)
        closedir(directory);
}

/* Children that thread TID of PID made before it was attached, and that have its memory, as a vforked one has: they would
 * run into what is planted there, with nobody to answer. They are traced, unknown to the table, until they leave it. */
static void seize_sharers(struct follow *follow, pid_t pid, pid_t tid, int depth)
{
    struct buffer text = {0};
    int fd = depth < SHARERS_DEPTH ? procfs_open(pid, tid, "children") : -1;
    bool read = fd >= 0 && !buffer_read_file(&text, fd, CHILDREN_LIMIT);
    char *next = read ? text.bytes : NULL;
    for (long child; next && (child = strtol(next, &next, 10)) > 0;) {
        if (!memory_shared((pid_t)child, pid) || table_process(&follow->table, (pid_t)child))
            continue;
        seize_all(follow, (pid_t)child);
        seize_sharers(follow, (pid_t)child, (pid_t)child, depth + 1);
    }
    buffer_free(&text);
    if (fd >= 0)
        close(fd);
}

int follow_attach(struct follow *follow, pid_t pid)
{
    int result = 0;
    if (table_process(&follow->table, pid))
        return -EALREADY;
    struct process *process = follow_add_process(follow, pid, 0);
    if (!process)
        return -ENOMEM;
    /* A thread that is not traced yet may make others meanwhile, and a list that is read while threads end may lack some:
     * the last passes find none. */
    for (int passes = 0, quiet = 0; quiet < QUIET_PASSES && result >= 0 && passes < ATTACH_PASSES; passes++) {
        result = seize_threads(follow, process);
        quiet = result ? 0 : quiet + 1;
    }
    if (!process->threads) {
        follow_remove_process(follow, process);
        return result < 0 ? result : -ESRCH;
    }
    if (result < 0)
        return result;
    for (const struct thread *thread = process->threads; thread && follow->births; thread = thread->next)
        seize_sharers(follow, pid, thread->tid, 0);
    process->attached = true;
    process->files_own = (follow->children || follow->births) && process->thread_count == 1 &&
                         files_are_own(process->threads->tid);
    follow_begin_image(follow, process, process->threads, true);
    return 0;
}
