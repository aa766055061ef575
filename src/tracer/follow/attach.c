/* SPDX-License-Identifier: MIT
 *
 * Attaches to a process that already runs. */
#include "common/arch/arch.h"
#include "common/base/array.h"
#include "common/base/buffer.h"
#include "common/base/proc.h"
#include "common/model/proctext.h"
#include "tracer/follow/bystanders.h"
#include "tracer/follow/follow.h"
#include "tracer/follow/follow_parts.h"
#include "tracer/restart/files.h"
#include "tracer/tracee/memory.h"
#include "tracer/tracee/procfs.h"
#include "tracer/tracee/request.h"
#include "tracer/tracee/table.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    ATTACH_PASSES = 1000,
    QUIET_PASSES = 2,
    SEIZE_TRIES = 5,
    SEIZE_WAITS = 150,
    SHARERS_DEPTH = 8,
    CHILDREN_LIMIT = 1 << 16
};

/* True if TID is known and traced. A known TID may now belong to another thread: when a thread that is not traced yet
 * calls exec, it takes the leader's tid. */
static bool is_ours(struct follow *follow, pid_t tid)
{
    pid_t pid, parent;
    struct thread *thread = table_thread(&follow->table, tid);
    if (!thread || thread->ended || procfs_family(tid, &pid, &parent))
        return thread != NULL;
    /* If /proc cannot be read, assume that it is still the same thread. */
    int fd = procfs_open(tid, 0, "status");
    if (fd >= 0)
        close(fd);
    if (fd < 0 && fd != -ENOENT && fd != -ESRCH)
        return true;
    table_remove_thread(&follow->table, thread);
    return false;
}

/* Stops watching TID. Returns the process for which TID was watched, or 0. */
static pid_t forget_maker(struct makers *makers, pid_t tid)
{
    for (size_t i = 0; i < makers->count; i++)
        if (makers->items[i].tid == tid) {
            pid_t pid = makers->items[i].pid;
            makers->items[i] = makers->items[--makers->count];
            return pid;
        }
    return 0;
}

/* Returns true if TID has ended, or is about to: then it is reaped or detached. */
static bool is_over(pid_t tid)
{
    siginfo_t info = {0};
    if (waitid(P_PID, (id_t)tid, &info, WEXITED | WSTOPPED | WNOWAIT | WNOHANG | __WALL) < 0 || !info.si_pid)
        return false;
    enum event_kind kind = event_decode(info.si_code, info.si_status).kind;
    if (kind == EVENT_EXIT)
        return request_detach(tid, 0) == 0;
    return (kind == EVENT_EXITED || kind == EVENT_KILLED) &&
           waitid(P_PID, (id_t)tid, &info, WEXITED | WNOHANG | __WALL) == 0;
}

/* Lets the ending threads of PROCESS go, because an exec waits until all its other threads are gone, and seized threads
 * are gone only then. Does not report an end before PROCESS itself was reported. */
static void reap(struct follow *follow, struct process *process)
{
    bool told = process->attached || process->image;
    for (struct thread *thread = process->threads, *next; thread; thread = next) {
        next = thread->next;
        if (thread->ended || !follow_may_tell(follow) || !is_over(thread->tid))
            continue;
        forget_maker(&follow->makers, thread->tid);
        if (!told || thread->tid == process->pid) { /* the thread that calls exec gets the first one's number */
            table_remove_thread(&follow->table, thread);
            continue;
        }
        follow_thread_ended(follow, thread->tid, thread);
        thread->ended = true;
    }
}

/* Seizes TID, a thread of PROCESS (which may be NULL). An exec can block forever on memory or on a file, and our
 * other tracees wait while we do, so the number of tries is bounded. */
static int seize(struct follow *follow, struct process *process, pid_t tid)
{
    int result = -ETIMEDOUT;
    for (int i = 0; i < SEIZE_WAITS && result == -ETIMEDOUT; i++) {
        result = request_seize(tid, follow->children || follow->births, true);
        if (result == -ETIMEDOUT && process)
            reap(follow, process);
    }
    return result;
}

/* Seizes thread TID of PROCESS, unless the kernel has already attached it for us. Returns 1 if it is new, 0 if it is
 * known or gone, or -errno. */
static int seize_thread(struct follow *follow, struct process *process, pid_t tid)
{
    pid_t pid, parent;
    if (is_ours(follow, tid))
        return 0;
    int result = -EPERM;
    /* The kernel refuses a thread that is ending. During an exec another thread may get its tid at once. */
    for (int i = 0; i < SEIZE_TRIES && result == -EPERM; i++) {
        result = seize(follow, process, tid);
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
    return 1;
}

/* Seizes the threads of PROCESS that exist now. Returns how many were new, or -errno if one could not be seized. */
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

/* Returns false if the thread waits in a call that makes no child. Then it was not about to make one when it was
 * seized. */
static bool may_be_making(pid_t pid, pid_t tid, bool compat)
{
    char text[256];
    struct blocked blocked;
    return procfs_text(pid, tid, "syscall", text, sizeof text) <= 0 || !proctext_blocked(text, &blocked) ||
           arch_forks(arch_syscall_of(blocked.syscall, compat));
}

/* Watches thread TID of PID, which was just seized: it may be about to make a child that has the memory of PROCESS, or
 * a copy of it. */
static void watch_maker(struct follow *follow, pid_t pid, pid_t tid, const struct process *process)
{
    struct makers *makers = &follow->makers;
    if (!may_be_making(pid, tid, process->compat))
        return;
    if (!ARRAY_RESERVE_ONE(makers))
        makers->lost = true;
    else if (request_interrupt(tid) == 0)
        makers->items[makers->count++] = (struct maker){tid, process->pid};
}

/* Seizes thread TID of PID, which shares the memory of PROCESS. Returns true if it was not traced yet. */
static bool seize_sharer(struct follow *follow, pid_t pid, pid_t tid, struct process *process)
{
    int result = seize(follow, table_process(&follow->table, pid), tid);
    follow->makers.lost |= result == -ETIMEDOUT;
    if (result < 0)
        return false;
    if (!follow->children)
        bystanders_add(&follow->bystanders, tid);
    else
        follow_adopt(follow, tid, process, true);
    watch_maker(follow, pid, tid, process);
    return true;
}

static size_t seize_all(struct follow *follow, pid_t pid, struct process *process)
{
    char path[40];
    size_t count = 0;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *directory = proc_opendir(path);
    follow->makers.lost |= !directory && errno != ENOENT;
    for (const struct dirent *entry; directory && !follow->makers.lost && (entry = readdir(directory));)
        if (atoi(entry->d_name) > 0)
            count += seize_sharer(follow, pid, (pid_t)atoi(entry->d_name), process);
    if (directory)
        closedir(directory);
    return count;
}

/* Seizes the children that thread TID of PID made before it was attached and that share the memory of PROCESS, as
 * after vfork. Untraced, they would die at a breakpoint. Returns how many of their threads were not traced yet. */
static size_t seize_sharers(struct follow *follow, pid_t pid, pid_t tid, struct process *process, int depth)
{
    struct buffer text = {0};
    size_t count = 0;
    int fd = depth < SHARERS_DEPTH ? procfs_open(pid, tid, "children") : -1;
    int result = fd >= 0 ? buffer_read_file(&text, fd, CHILDREN_LIMIT) : fd;
    char *next = result ? NULL : text.bytes;
    follow->makers.lost |= fd >= 0 && result && result != -ESRCH;
    for (long child; next && (child = strtol(next, &next, 10)) > 0;) {
        if (!memory_shared((pid_t)child, process->pid))
            continue;
        count += seize_all(follow, (pid_t)child, process);
        count += seize_sharers(follow, (pid_t)child, (pid_t)child, process, depth + 1);
    }
    buffer_fini(&text);
    if (fd >= 0)
        close(fd);
    return count;
}

/* Seizes threads whose birth we missed. New threads come first in the list. */
static size_t seize_new_threads(struct follow *follow, struct process *process)
{
    int count = seize_threads(follow, process);
    follow->makers.lost |= count < 0 && count != -ESRCH;
    const struct thread *thread = process->threads;
    for (int i = 0; thread && i < count; i++, thread = thread->next)
        watch_maker(follow, process->pid, thread->tid, process);
    return count > 0 ? (size_t)count : 0;
}

static size_t seize_all_sharers(struct follow *follow, struct process *process)
{
    size_t count = 0;
    for (const struct thread *thread = process->threads, *next; thread; thread = next) {
        next = thread->next;
        count += seize_sharers(follow, process->pid, thread->tid, process, 0);
    }
    return count;
}

static bool is_watched(const struct follow *follow, pid_t pid)
{
    if (follow->makers.lost)
        return true;
    for (size_t i = 0; i < follow->makers.count; i++)
        if (follow->makers.items[i].pid == pid)
            return true;
    return false;
}

static bool has_ended(const struct process *process)
{
    const struct thread *thread = process->threads;
    while (thread && thread->ended)
        thread = thread->next;
    return !thread && (process->attached || process->image);
}

/* Ends processes that have no living thread left, or whose tids others have taken: no other event reports their end. */
static void end_processes(struct follow *follow)
{
    for (size_t i = 0; i < follow->table.process_count; i++)
        if (has_ended(follow->table.processes[i]) && follow_may_tell(follow))
            follow_process_ended(follow, follow->table.processes[i]);
}

/* Finds the children whose birth we missed. Call it when each thread that may have been making a child has been seen at
 * a stop. A list read while children end may lack some, so passes continue until some find nothing new. */
static void find_sharers(struct follow *follow, struct process *process)
{
    for (int passes = 0, quiet = 0; quiet < QUIET_PASSES && passes < ATTACH_PASSES; passes++) {
        if (is_watched(follow, process->pid))
            return;
        size_t fresh = seize_new_threads(follow, process) + seize_all_sharers(follow, process);
        quiet = fresh ? 0 : quiet + 1;
    }
    end_processes(follow);
    if (!process->ended)
        follow_tell(follow, (struct follow_event){.kind = FOLLOW_CHILDREN_KNOWN, .process = process});
}

void attach_seen(struct follow *follow, pid_t tid)
{
    pid_t pid = forget_maker(&follow->makers, tid);
    struct process *process = pid ? table_process(&follow->table, pid) : NULL;
    if (process && !is_watched(follow, pid))
        find_sharers(follow, process);
}

void attach_forget(struct follow *follow, pid_t pid)
{
    struct makers *makers = &follow->makers;
    for (size_t i = makers->count; i-- > 0;)
        if (makers->items[i].pid == pid)
            makers->items[i] = makers->items[--makers->count];
}

int follow_attach(struct follow *follow, pid_t pid)
{
    int result = 0;
    if (table_process(&follow->table, pid))
        return -EALREADY;
    struct process *process = table_add_process(&follow->table, pid, 0);
    if (!process)
        return -ENOMEM;
    /* A thread that is not traced yet may make others, and a list read while threads end may lack some. So passes
     * continue until some find nothing new. */
    for (int passes = 0, quiet = 0; quiet < QUIET_PASSES && result >= 0 && passes < ATTACH_PASSES; passes++) {
        result = seize_threads(follow, process);
        quiet = result ? 0 : quiet + 1;
    }
    if (!process->threads) {
        table_remove_process(&follow->table, process);
        return result < 0 ? result : -ESRCH;
    }
    procfs_kind(pid, &process->compat, &process->foreign);
    follow_tell(follow, (struct follow_event){.kind = FOLLOW_ADDED, .process = process});
    if (result < 0)
        return result;
    process->attached = true;
    process->files_own =
        (follow->children || follow->births) && process->thread_count == 1 && files_are_own(process->threads->tid);
    follow_tell(follow, (struct follow_event){.kind = FOLLOW_ATTACHED, .process = process, .thread = process->threads});
    return 0;
}

void follow_find_workers(struct follow *follow, struct process *process)
{
    char path[40];
    if (procfs_thread_count(process->pid) <= process->thread_count)
        return;
    snprintf(path, sizeof path, "/proc/%d/task", (int)process->pid);
    DIR *directory = proc_opendir(path);
    for (const struct dirent *entry; directory && (entry = readdir(directory));) {
        pid_t tid = (pid_t)atoi(entry->d_name);
        if (tid > 0 && !table_thread(&follow->table, tid) && procfs_is_worker(process->pid, tid))
            seize_thread(follow, process, tid); /* the thread may have ended */
    }
    if (directory)
        closedir(directory);
}

void attach_begun(struct follow *follow, struct process *process)
{
    if (!follow->births)
        return;
    for (const struct thread *thread = process->threads; thread; thread = thread->next)
        watch_maker(follow, process->pid, thread->tid, process);
    find_sharers(follow, process);
}
