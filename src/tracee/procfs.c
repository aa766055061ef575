/* SPDX-License-Identifier: MIT */
#include "tracee/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

int procfs_open(pid_t pid, pid_t tid, const char *name)
{
    char path[80];
    if (tid)
        snprintf(path, sizeof path, "/proc/%d/task/%d/%s", (int)pid, (int)tid, name);
    else
        snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

int procfs_open_memory(pid_t pid)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

bool procfs_is_last(int fd)
{
    enum { RESERVE = 8 };
    static int limit;
    struct rlimit files;
    if (!limit)
        limit = getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < INT_MAX ? (int)files.rlim_cur : INT_MAX;
    return fd >= limit - RESERVE;
}

ssize_t procfs_read(int fd, char *text, size_t size)
{
    ssize_t got;
    do
        got = pread(fd, text, size - 1, 0);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return -errno;
    text[got] = 0;
    return got;
}

ssize_t procfs_text(pid_t pid, pid_t tid, const char *name, char *text, size_t size)
{
    int fd = procfs_open(pid, tid, name);
    if (fd < 0)
        return fd;
    ssize_t got = procfs_read(fd, text, size);
    close(fd);
    return got;
}

bool procfs_schedstat(int fd, struct schedstat *parsed)
{
    char text[96];
    return procfs_read(fd, text, sizeof text) > 0 && proctext_schedstat(text, parsed);
}

bool procfs_is_dead(pid_t pid, pid_t tid)
{
    char text[1024], state;
    int cpu;
    return procfs_text(pid, tid, "stat", text, sizeof text) <= 0 ||
           (proctext_stat(text, &state, &cpu) && (state == 'Z' || state == 'X'));
}

bool procfs_family(pid_t tid, pid_t *process, pid_t *parent)
{
    char text[4096];
    uint64_t group, above, tracer;
    if (procfs_text(tid, 0, "status", text, sizeof text) <= 0 ||
        !proctext_status_number(text, "TracerPid", 10, &tracer) || (pid_t)tracer != getpid() ||
        !proctext_status_number(text, "Tgid", 10, &group) ||
        !proctext_status_number(text, "PPid", 10, &above))
        return false;
    *process = (pid_t)group;
    *parent = (pid_t)above;
    return true;
}

/* True if SIG is in the set NAME of the thread's status, or if that cannot be known. */
static bool may_be_in(pid_t tid, const char *name, int sig)
{
    uint64_t set;
    char text[16384];
    return procfs_text(tid, 0, "status", text, sizeof text) <= 0 || !proctext_status_number(text, name, 16, &set) ||
           (set >> (sig - 1) & 1);
}

bool procfs_may_handle(pid_t tid, int sig)
{
    return may_be_in(tid, "SigCgt", sig);
}

bool procfs_may_wait(pid_t tid, int sig)
{
    return may_be_in(tid, "SigPnd", sig);
}

/* A kernel may be built without seccomp; before Linux 5.9 filters are not counted. */
static bool seccomp_of(pid_t tid, uint64_t *mode, uint64_t *filters)
{
    char text[16384];
    ssize_t got = procfs_text(tid, 0, "status", text, sizeof text);
    if (got <= 0 || got == sizeof text - 1)
        return false;
    *mode = *filters = 0;
    proctext_status_number(text, "Seccomp", 10, mode);
    proctext_status_number(text, "Seccomp_filters", 10, filters);
    return *mode == 0 || *filters > 0;
}

bool procfs_filtered_as_we(pid_t tid)
{
    uint64_t mode, filters, our_mode, our_filters;
    return seccomp_of(tid, &mode, &filters) && seccomp_of(getpid(), &our_mode, &our_filters) && mode == our_mode &&
           filters == our_filters;
}

void procfs_comm(pid_t pid, pid_t tid, char comm[static 16])
{
    char text[64];
    if (procfs_text(pid, tid, "comm", text, sizeof text) < 0)
        strcpy(text, "?");
    text[strcspn(text, "\n")] = 0;
    snprintf(comm, 16, "%.15s", text);
}
