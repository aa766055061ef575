/* SPDX-License-Identifier: MIT */
#include "tracer/tracee/procfs.h"

#include "common/arch/machine.h"
#include "common/base/hash.h"
#include "common/base/proc.h"
#include "common/model/proctext.h"
#include "common/wire/rescue_notes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

int procfs_open(pid_t pid, pid_t tid, const char *name)
{
    char path[80];
    if (tid)
        snprintf(path, sizeof path, "/proc/%d/task/%d/%s", (int)pid, (int)tid, name);
    else
        snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    return proc_open(path, O_RDONLY);
}

pid_t procfs_living_thread(pid_t pid)
{
    char path[40];
    pid_t living = pid;
    if (!procfs_is_dead(pid, pid))
        return pid;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *directory = proc_opendir(path);
    const struct dirent *entry;
    while (directory && living == pid && (entry = readdir(directory))) {
        pid_t tid = (pid_t)atoi(entry->d_name);
        if (tid > 0 && !procfs_is_dead(pid, tid))
            living = tid;
    }
    if (directory)
        closedir(directory);
    return living;
}

ssize_t procfs_text(pid_t pid, pid_t tid, const char *name, char *text, size_t size)
{
    int fd = procfs_open(pid, tid, name);
    if (fd < 0)
        return fd;
    ssize_t got = proc_read(fd, text, size);
    close(fd);
    return got;
}

void procfs_kind(pid_t pid, bool *compat, bool *foreign)
{
    char words[1024];
    ssize_t got = procfs_text(pid, 0, "auxv", words, sizeof words);
    *compat = got > 0 && proctext_auxv_is_compat(words, (size_t)got);
    *foreign = *compat && (!ARCH_HAS_COMPAT || proctext_auxv_is_x32(words, (size_t)got));
}

uint64_t procfs_entry(pid_t pid)
{
    char words[1024];
    ssize_t got = procfs_text(pid, 0, "auxv", words, sizeof words);
    return got > 0 ? proctext_auxv_entry(words, (size_t)got) : 0;
}

bool procfs_is_dead(pid_t pid, pid_t tid)
{
    char text[1024], state;
    int cpu;
    return procfs_text(pid, tid, "stat", text, sizeof text) <= 0 ||
           (proctext_stat(text, &state, &cpu) && (state == 'Z' || state == 'X'));
}

bool procfs_blocked(pid_t pid, pid_t tid, struct blocked *where)
{
    char text[256];
    return procfs_text(pid, tid, "syscall", text, sizeof text) > 0 && proctext_blocked(text, where);
}

bool procfs_waits_in_kernel(pid_t pid, pid_t tid)
{
    char text[1024], state;
    int cpu;
    return procfs_text(pid, tid, "stat", text, sizeof text) > 0 && proctext_stat(text, &state, &cpu) && state == 'D';
}

bool procfs_is_worker(pid_t pid, pid_t tid)
{
    char text[1024];
    return procfs_text(pid, tid, "stat", text, sizeof text) > 0 && proctext_is_worker(text);
}

uint64_t procfs_thread_count(pid_t pid)
{
    char text[1024];
    return procfs_text(pid, 0, "stat", text, sizeof text) > 0 ? proctext_thread_count(text) : 0;
}

bool procfs_is_dying(pid_t pid, pid_t tid)
{
    char text[1024];
    return procfs_text(pid, tid, "stat", text, sizeof text) <= 0 || proctext_is_dying(text);
}

uint64_t procfs_resident(pid_t pid, pid_t tid)
{
    char text[256], *next;
    if (procfs_text(pid, tid, "statm", text, sizeof text) <= 0)
        return 0;
    strtoull(text, &next, 10); /* the size */
    return strtoull(next, NULL, 10);
}

/* Reads NAME in FOLDER. FOLDER still belongs to its process or thread after the number has been reused. */
static ssize_t read_in(int folder, const char *name, char *text, size_t size)
{
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    ssize_t got = proc_read(fd, text, size);
    close(fd);
    return got;
}

/* Returns the folder of a living thread, which gives access to the memory, because the first thread of PID in FOLDER
 * has ended. Closes FOLDER. */
static int enter_living(int folder, pid_t pid, char *text, size_t size)
{
    char name[24];
    snprintf(name, sizeof name, "task/%d", (int)procfs_living_thread(pid));
    int living = openat(folder, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (living < 0 || read_in(living, "stat", text, size) <= 0)
        text[0] = 0;
    if (living < 0)
        return folder;
    close(folder);
    return living;
}

/* Returns a descriptor that refers to the process or thread with number PID, and sets IDENTITY; or returns -errno. */
static int open_folder(pid_t pid, struct procfs_identity *identity)
{
    char path[24], text[1024], state;
    int cpu;
    *identity = (struct procfs_identity){0};
    snprintf(path, sizeof path, "/proc/%d", (int)pid);
    int folder = proc_open(path, O_PATH | O_DIRECTORY);
    if (folder < 0)
        return folder;
    if (read_in(folder, "stat", text, sizeof text) <= 0 || !proctext_start_time(text, &identity->started)) {
        close(folder);
        return -ESRCH;
    }
    if (proctext_stat(text, &state, &cpu) && (state == 'Z' || state == 'X'))
        folder = enter_living(folder, pid, text, sizeof text);
    proctext_stack_start(text, &identity->stack);
    return folder;
}

bool procfs_is_same(const struct procfs_identity *one, const struct procfs_identity *other)
{
    return one->started && one->started == other->started && one->stack == other->stack;
}

bool procfs_identify(pid_t pid, struct procfs_identity *identity)
{
    int folder = open_folder(pid, identity);
    if (folder >= 0)
        close(folder);
    return folder >= 0;
}

bool procfs_is(pid_t pid, const struct procfs_identity *identity)
{
    struct procfs_identity now;
    return procfs_identify(pid, &now) && procfs_is_same(identity, &now);
}

static int open_memory(int folder)
{
    int fd = openat(folder, "mem", O_RDWR | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

static bool is_traced_by_us(int folder)
{
    char text[4096];
    uint64_t tracer;
    return read_in(folder, "status", text, sizeof text) > 0 && proctext_status_number(text, "TracerPid", 10, &tracer) &&
           (pid_t)tracer == getpid();
}

int procfs_open_memory(pid_t pid, struct procfs_identity *identity)
{
    int folder = open_folder(pid, identity);
    if (folder < 0)
        return folder;
    int fd = is_traced_by_us(folder) ? open_memory(folder) : -EPERM;
    close(folder);
    return fd;
}

int procfs_open_memory_of(pid_t pid, const struct procfs_identity *identity)
{
    struct procfs_identity now;
    int folder = open_folder(pid, &now);
    if (folder < 0)
        return folder;
    int fd = procfs_is_same(identity, &now) ? open_memory(folder) : -ESRCH;
    close(folder);
    return fd;
}

bool procfs_family(pid_t tid, pid_t *process, pid_t *parent)
{
    char text[4096];
    uint64_t group, above, tracer;
    if (procfs_text(tid, 0, "status", text, sizeof text) <= 0 ||
        !proctext_status_number(text, "TracerPid", 10, &tracer) || (pid_t)tracer != getpid() ||
        !proctext_status_number(text, "Tgid", 10, &group) || !proctext_status_number(text, "PPid", 10, &above))
        return false;
    *process = (pid_t)group;
    *parent = (pid_t)above;
    return true;
}

/* True if SIG is in the set NAME of the thread's status; UNKNOWN if the status cannot be read. */
static bool is_in(pid_t tid, const char *name, int sig, bool unknown)
{
    uint64_t set;
    char text[16384];
    if (procfs_text(tid, 0, "status", text, sizeof text) <= 0 || !proctext_status_number(text, name, 16, &set))
        return unknown;
    return set >> (sig - 1) & 1;
}

bool procfs_is_first(pid_t pid)
{
    enum { DEEPEST = 33 }; /* namespaces; the kernel nests at most 32 */
    uint64_t numbers[DEEPEST];
    char text[16384];
    if (procfs_text(pid, 0, "status", text, sizeof text) <= 0)
        return false;
    size_t count = proctext_status_numbers(text, "NSpid", 10, numbers, DEEPEST);
    return count && numbers[count - 1] == 1;
}

bool procfs_may_handle(pid_t tid, int sig)
{
    return is_in(tid, "SigCgt", sig, true);
}

bool procfs_ignores(pid_t tid, int sig)
{
    return is_in(tid, "SigIgn", sig, false);
}

bool procfs_may_wait(pid_t tid, int sig)
{
    return is_in(tid, "SigPnd", sig, true);
}

bool procfs_has_signal(pid_t tid)
{
    char text[16384];
    uint64_t own, common, blocked;
    return procfs_text(tid, 0, "status", text, sizeof text) > 0 && proctext_status_number(text, "SigPnd", 16, &own) &&
           proctext_status_number(text, "ShdPnd", 16, &common) &&
           proctext_status_number(text, "SigBlk", 16, &blocked) && (own | common) & ~blocked;
}

/* False if unknown. A kernel may be built without seccomp; before Linux 5.9 it does not count filters. */
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

/* Ours before the tracer got its own. */
static struct {
    bool noted, known;
    uint64_t mode, filters;
} inherited;

void procfs_note_filters(void)
{
    inherited.noted = true;
    inherited.known = seccomp_of(getpid(), &inherited.mode, &inherited.filters);
}

bool procfs_filtered_as_we(pid_t tid)
{
    uint64_t mode, filters;
    if (!inherited.noted)
        procfs_note_filters();
    return inherited.known && seccomp_of(tid, &mode, &filters) && mode == inherited.mode &&
           filters == inherited.filters;
}

/* The socket's extended attribute names its kind. It can be read through the /proc name. */
static bool is_unix_socket(const char *path)
{
    char name[32];
    ssize_t size = getxattr(proc_relative(path), "system.sockprotoname", name, sizeof name - 1);
    return size >= 4 && !strncmp(name, "UNIX", 4);
}

/* Never asks a file server, which may not answer. */
static bool is_endless(const char *path)
{
    enum { MEMORY_DEVICES = 1, ZERO = 5, FULL = 7, RANDOM = 8, URANDOM = 9 };
    struct statx seen;
    if (statx(AT_FDCWD, proc_relative(path), AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, STATX_TYPE, &seen) < 0)
        return false;
    unsigned minor = seen.stx_rdev_minor;
    return S_ISCHR(seen.stx_mode) && seen.stx_rdev_major == MEMORY_DEVICES &&
           (minor == ZERO || minor == FULL || minor == RANDOM || minor == URANDOM);
}

enum procfs_file procfs_file(pid_t tid, int fd)
{
    char path[40], name[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)tid, fd);
    if (proc_readlink(path, name, sizeof name) <= 0)
        return PROCFS_OTHER;
    /* The name of a file begins with a slash, so no file can be named like a pipe or socket. */
    if (!strncmp(name, "pipe:[", 6))
        return PROCFS_PIPE;
    if (!strncmp(name, "socket:[", 8))
        return is_unix_socket(path) ? PROCFS_UNIX_SOCKET : PROCFS_OTHER;
    return !strncmp(name, "/dev/", 5) && is_endless(path) ? PROCFS_ENDLESS : PROCFS_OTHER;
}

bool procfs_socket(pid_t tid, int fd, uint64_t *inode)
{
    char path[40], name[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)tid, fd);
    return proc_readlink(path, name, sizeof name) > 0 && sscanf(name, "socket:[%" SCNu64 "]", inode) == 1;
}

bool procfs_is_terminal(pid_t tid, int fd)
{
    char path[40], name[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)tid, fd);
    return proc_readlink(path, name, sizeof name) > 0 &&
           (!strncmp(name, "/dev/pts/", 9) || !strncmp(name, "/dev/tty", 8) || !strcmp(name, "/dev/console"));
}

bool procfs_blocks(pid_t tid, int fd)
{
    char name[32], text[512];
    uint64_t flags;
    snprintf(name, sizeof name, "fdinfo/%d", fd);
    return procfs_text(tid, 0, name, text, sizeof text) > 0 && proctext_status_number(text, "flags", 8, &flags) &&
           !(flags & O_NONBLOCK);
}

bool procfs_table_size(pid_t tid, uint64_t *count)
{
    char text[16384];
    return procfs_text(tid, 0, "status", text, sizeof text) > 0 && proctext_status_number(text, "FDSize", 10, count);
}

bool procfs_is_alone(pid_t tid, bool unfiltered)
{
    char text[16384];
    uint64_t threads, mode = 0;
    ssize_t got = procfs_text(tid, 0, "status", text, sizeof text);
    if (got <= 0 || got == sizeof text - 1 || !proctext_status_number(text, "Threads", 10, &threads) || threads != 1)
        return false;
    proctext_status_number(text, "Seccomp", 10, &mode);
    return !unfiltered || mode == 0;
}

uint64_t procfs_program(pid_t pid)
{
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/%d/exe", (int)pid);
    ssize_t length = proc_readlink(link, path, sizeof path);
    return length > 0 ? hash_bytes(path, (size_t)length) | 1 : 0;
}

void procfs_comm(pid_t pid, pid_t tid, char comm[static 16])
{
    char text[64];
    if (procfs_text(pid, tid, "comm", text, sizeof text) < 0)
        strcpy(text, "?");
    text[strcspn(text, "\n")] = 0;
    snprintf(comm, 16, "%.15s", text);
}
