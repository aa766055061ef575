/* SPDX-License-Identifier: MIT */
#include "common/base/proc.h"

#include "common/base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { NOT_OPENED = -1 };

static const char root[] = "/proc/";

/* AT_FDCWD: /proc is the working directory. */
static int directory = NOT_OPENED;

static ssize_t read_link(int where, const char *name, char *text, size_t size)
{
    ssize_t length = readlinkat(where, name, text, size - 1);
    if (length < 0)
        return -errno;
    text[length] = 0;
    return length;
}

/* Returns how many pid namespaces number this process, from the one of the /proc at WHERE down to its own. Returns 0 if
 * unknown, as on a kernel without namespaces. */
static int count_numbers(int where)
{
    static const char name[] = "\nNSpid:";
    char text[4096];
    int count = 0, fd = openat(where, "self/status", O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[got > 0 ? got : 0] = 0;
    const char *at = strstr(text, name);
    for (at = at ? at + sizeof name - 1 : NULL; at && *at && *at != '\n'; at++)
        count += *at >= '0' && *at <= '9' && (at[-1] < '0' || at[-1] > '9');
    return count;
}

/* A surrounding namespace numbers us too, possibly with the same number by chance. An unrelated namespace has no number
 * for us. */
static bool is_ours(int where)
{
    char self[32];
    return read_link(where, "self", self, sizeof self) > 0 && atol(self) == (long)getpid() && count_numbers(where) <= 1;
}

/* Returns true if our children would be in another pid namespace. */
static bool are_children_elsewhere(int where)
{
    char own[64], theirs[64];
    struct stat about;
    if (read_link(where, "self/ns/pid", own, sizeof own) < 0 ||
        fstatat(where, "self/ns/pid_for_children", &about, AT_SYMLINK_NOFOLLOW) < 0)
        return false;
    return read_link(where, "self/ns/pid_for_children", theirs, sizeof theirs) < 0 || strcmp(own, theirs) != 0;
}

static int judge(int where, struct error *error)
{
    struct statfs about;
    if (fstatfs(where, &about) < 0 || about.f_type != PROC_SUPER_MAGIC)
        return error_set(error, ENOTSUP,
                         "there is no /proc here, and ptprofil finds the processes to profile there: mount it (mount "
                         "-t proc proc /proc)");
    if (!is_ours(where))
        return error_set(error, ENOTSUP,
                         "/proc belongs to another pid namespace, so its process numbers mean other processes: mount "
                         "the one of this namespace (mount -t proc proc /proc; unshare has --mount-proc for it)");
    if (are_children_elsewhere(where))
        return error_set(error, ENOTSUP,
                         "ptprofil is not in the pid namespace that its children get, as after 'unshare --pid': add "
                         "--fork and --mount-proc there");
    return 0;
}

int proc_prove(struct error *error)
{
    if (directory != NOT_OPENED)
        return 0;
    int opened = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (opened < 0 && errno != ENOENT && errno != ENOTDIR)
        return error_system(error, errno, "cannot open /proc");
    int result = judge(opened, error);
    if (!result)
        directory = opened;
    else if (opened >= 0)
        close(opened);
    return result;
}

int proc_enter(void)
{
    int result = proc_prove(NULL);
    if (result < 0 || directory == AT_FDCWD)
        return result;
    if (!is_ours(directory))
        return -ENOTSUP;
    if (fchdir(directory) < 0)
        return -errno;
    close(directory);
    directory = AT_FDCWD;
    return 0;
}

int proc_move(int to)
{
    int result = proc_prove(NULL);
    if (result < 0)
        return result;
    if (dup3(directory, to, O_CLOEXEC) < 0)
        return -errno;
    directory = to;
    return 0;
}

static bool is_below(const char *path)
{
    return !strncmp(path, root, sizeof root - 1) && path[sizeof root - 1] != '/';
}

const char *proc_relative(const char *path)
{
    return is_below(path) ? path + sizeof root - 1 : path;
}

/* Sets *WHERE to the directory in which to look up proc_relative(PATH). Returns 0, or -errno if none exists. */
static int find(const char *path, int *where)
{
    bool below = is_below(path);
    int result = below ? proc_prove(NULL) : 0;
    *where = below ? directory : AT_FDCWD;
    return result;
}

int proc_open(const char *path, int flags)
{
    int where, result = find(path, &where);
    if (result < 0)
        return result;
    int fd = openat(where, proc_relative(path), flags | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

ssize_t proc_readlink(const char *path, char *text, size_t size)
{
    int where, result = find(path, &where);
    return result < 0 ? result : read_link(where, proc_relative(path), text, size);
}

int proc_stat(const char *path, struct stat *about, int flags)
{
    int where, result = find(path, &where);
    if (result < 0)
        return result;
    return fstatat(where, proc_relative(path), about, flags) < 0 ? -errno : 0;
}

DIR *proc_opendir(const char *path)
{
    int fd = proc_open(path, O_RDONLY | O_DIRECTORY);
    DIR *opened = fd < 0 ? NULL : fdopendir(fd);
    if (fd < 0)
        errno = -fd;
    else if (!opened)
        close(fd);
    return opened;
}

/* How many descriptors are allowed; 0: not read yet. */
static int most_files;

static int count_files(void)
{
    struct rlimit files;
    if (!most_files)
        most_files = getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < INT_MAX ? (int)files.rlim_cur : INT_MAX;
    return most_files;
}

uint64_t proc_private_bytes(pid_t pid)
{
    char path[48], text[256];
    unsigned long long size, resident, shared;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
    int fd = proc_open(path, O_RDONLY);
    ssize_t got = fd < 0 ? fd : proc_read(fd, text, sizeof text);
    if (fd >= 0)
        close(fd);
    if (got <= 0 || sscanf(text, "%llu %llu %llu", &size, &resident, &shared) != 3 || resident < shared)
        return 0;
    return (resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE);
}

void proc_allow_files(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) < 0)
        return;
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    most_files = 0;
}

bool proc_is_last(int fd)
{
    enum { RESERVE = 8 };
    return fd >= count_files() - RESERVE;
}

bool proc_is_late(int fd)
{
    enum { RESERVE = 32, SHARE = 4 };
    int most = count_files();
    return fd >= most - (most / SHARE < RESERVE ? most / SHARE : RESERVE);
}

ssize_t proc_read(int fd, char *text, size_t size)
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
