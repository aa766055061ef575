/* SPDX-License-Identifier: MIT */
#include "tracer/restart/files.h"

#include "common/base/buffer.h"
#include "common/base/proc.h"
#include "common/base/time.h"
#include "common/model/proctext.h"
#include "tracer/tracee/procfs.h"
#include "tracer/tracee/table.h"

#include <dirent.h>
#include <errno.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    PASSES = 2,
    CHILDREN_LIMIT = 1 << 16,
    MOST_DESCRIPTORS = 1024,
    ENOUGH_NS = 500000000, /* total time for comparing processes with all others: our tracees wait while we do */
};

/* The initial pid namespace has this inode number in every kernel. Any other namespace hides some processes. */
#define INITIAL_NAMESPACE 0xEFFFFFFCu

bool files_apart(pid_t one, pid_t other)
{
    return syscall(SYS_kcmp, one, other, KCMP_FILES, 0, 0) > 0;
}

/* True if the sizes show two different tables. Works where kcmp is not permitted. Tables only grow. */
static bool other_size(pid_t one, pid_t other)
{
    uint64_t before, its, after;
    return procfs_table_size(one, &before) && procfs_table_size(other, &its) && procfs_table_size(one, &after) &&
           (its < before || its > after);
}

/* A thread that has ended has no files. */
static bool gone_or_apart(pid_t one, pid_t other)
{
    errno = 0;
    return files_apart(one, other) || errno == ESRCH || (errno && other_size(one, other));
}

/* Calls CHECK with TID and each number that is a name in the directory at PATH, in the order of /proc. Returns true
 * if every call returned true. */
static bool all_numbers(const char *path, bool (*check)(pid_t tid, pid_t number), pid_t tid)
{
    DIR *directory = proc_opendir(path);
    const struct dirent *entry;
    bool all = directory || errno == ENOENT;
    while (directory && all && (entry = readdir(directory))) {
        pid_t number = (pid_t)atoi(entry->d_name);
        all = number <= 0 || check(tid, number);
    }
    if (directory)
        closedir(directory);
    return all;
}

static bool apart_from_process(pid_t tid, pid_t other)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/%d/task", (int)other);
    return other == tid || all_numbers(path, gone_or_apart, tid);
}

static bool sees_all_processes(void)
{
    struct stat seen;
    return proc_stat("/proc/self/ns/pid", &seen, 0) == 0 && seen.st_ino == INITIAL_NAMESPACE;
}

void files_born(struct process *maker, const struct thread *child, bool apart)
{
    if (maker && !apart)
        maker->files_own = false;
    if (child && child->process != maker)
        child->process->files_own = apart;
}

/* New processes get ascending numbers until these wrap around. So if a process makes another one and ends before we
 * look at it, we still meet the new one: later in the first pass, or in the second pass if the numbers wrapped. */
bool files_are_own(pid_t tid)
{
    static uint64_t spent_ns;
    uint64_t began_ns = time_now_ns();
    bool own = spent_ns < ENOUGH_NS && sees_all_processes();
    for (int i = 0; i < PASSES && own; i++)
        own = all_numbers("/proc/.", apart_from_process, tid);
    spent_ns += time_now_ns() - began_ns;
    return own;
}

/* A child that was made with CLONE_UNTRACED causes no event. It can be found only while it lives. */
static bool has_strange_child(const struct table *table, pid_t tid)
{
    struct buffer text = {0};
    int fd = procfs_open(tid, tid, "children");
    if (fd < 0)
        return false; /* this kernel does not list children */
    bool strange = buffer_read_file(&text, fd, CHILDREN_LIMIT) < 0;
    char *next = text.bytes;
    for (long child; next && !strange && (child = strtol(next, &next, 10)) > 0;)
        strange = !table_process(table, (pid_t)child) && !gone_or_apart(tid, (pid_t)child);
    buffer_fini(&text);
    close(fd);
    return strange;
}

/* An io_uring may do its work at the end of any other system call, and so open and close descriptors. A ring without
 * a descriptor is not found. */
static bool may_have_ring(pid_t tid)
{
    static const char ring[] = "anon_inode:[io_uring]";
    char path[40], name[sizeof ring];
    const struct dirent *entry;
    unsigned count = 0;
    snprintf(path, sizeof path, "/proc/%d/fd", (int)tid);
    DIR *directory = proc_opendir(path);
    bool found = !directory;
    while (!found && (entry = readdir(directory))) {
        ssize_t length = readlinkat(dirfd(directory), entry->d_name, name, sizeof name);
        found = ++count > MOST_DESCRIPTORS || (length == sizeof ring - 1 && !memcmp(name, ring, sizeof ring - 1));
    }
    if (directory)
        closedir(directory);
    return found;
}

/* A seccomp filter may hand the remainder to a supervisor, which can put files into the table
 * (SECCOMP_IOCTL_NOTIF_ADDFD). If we run in a container, too, the container's own filters do not. */
bool files_stay(const struct table *table, const struct thread *thread, bool unfiltered)
{
    return thread->process->files_own && procfs_is_alone(thread->tid, unfiltered) &&
           procfs_filtered_as_we(thread->tid) && !has_strange_child(table, thread->tid) && !may_have_ring(thread->tid);
}
