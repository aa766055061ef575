/* SPDX-License-Identifier: MIT */
#include "programs/jit/file.h"

#include "common/base/array.h"
#include "common/base/buffer.h"
#include "common/base/kernel.h"
#include "common/base/proc.h"
#include "common/model/proctext.h"
#include "programs/files/mounts.h"
#include "programs/files/process_folder.h"
#include "programs/files/process_viewer.h"
#include "programs/files/served.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MOST_FOLDERS = 1024, MOST_OF_USER = 256, TEXT_LIMIT = 1 << 20 };

static const char place[] = "/tmp";

void jit_folders_fini(struct jit_folders *folders)
{
    for (size_t i = 0; i < folders->count; i++)
        close(folders->items[i].fd);
    free(folders->items);
    memset(folders, 0, sizeof *folders);
}

/* Returns a descriptor (O_PATH) of PATH below FOLDER, or -errno. RESOLVE is for openat2. Without openat2 (old kernels,
 * sandboxes), a link is followed, possibly to the wrong file, but only to one that we may read. */
static int find(int folder, const char *path, int flags, uint64_t resolve)
{
    struct open_how how = {.flags = (unsigned)(flags | O_PATH | O_CLOEXEC), .resolve = resolve};
    int found = (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
    if (found < 0 && (errno == ENOSYS || errno == EPERM))
        found = openat(folder, path, flags | O_PATH | O_CLOEXEC);
    return found < 0 ? -errno : found;
}

/* Returns the descriptor in the set for the folder that FD is open on. USER's processes have few of these, so that they
 * leave room for others'. Takes ownership of FD. */
static int add_folder(struct jit_folders *folders, int fd, uid_t user)
{
    struct stat about;
    bool known = fstat(fd, &about) == 0;
    unsigned of_user = 0;
    for (size_t i = 0; known && i < folders->count; i++) {
        if (folders->items[i].device == about.st_dev && folders->items[i].inode == about.st_ino) {
            close(fd);
            return folders->items[i].fd;
        }
        of_user += folders->items[i].user == user;
    }
    if (!known || folders->count >= MOST_FOLDERS || of_user >= MOST_OF_USER || !ARRAY_RESERVE_ONE(folders)) {
        close(fd);
        return -1;
    }
    folders->items[folders->count++] = (struct jit_folder){fd, about.st_dev, about.st_ino, user};
    return fd;
}

/* Finds the folder of JIT maps below ROOT, the process's root directory, which may be unreadable. Most processes share
 * our root. Skips a file system that happens to be mounted now, because it must stay unmountable. */
static int find_folder(struct jit_folders *folders, const char *root, uid_t user)
{
    int top = served_is(root, place) ? -1 : proc_open(*root ? root : "/", O_PATH | O_DIRECTORY);
    int fd = top < 0 ? -1 : find(top, place + 1, O_DIRECTORY, RESOLVE_IN_ROOT);
    if (top >= 0)
        close(top);
    if (fd >= 0 && mounts_is_new(fd)) {
        close(fd);
        fd = -1;
    }
    return fd < 0 ? -1 : add_folder(folders, fd, user);
}

/* Reads NAME of PROCESS's folder. The caller frees TEXT. */
static bool read_text(const char *process, const char *name, struct buffer *text)
{
    char path[PROCESS_FOLDER_SIZE + 16];
    snprintf(path, sizeof path, "%s/%s", process, name);
    return buffer_read_path(text, path, TEXT_LIMIT) == 0;
}

static pid_t number_inside(const char *process, pid_t pid)
{
    enum { LEVELS = 33 }; /* at most one for each namespace */
    uint64_t pids[LEVELS];
    struct buffer text = {0};
    size_t count =
        read_text(process, "status", &text) ? proctext_status_numbers(text.bytes, "NStgid", 10, pids, LEVELS) : 0;
    buffer_fini(&text);
    return count ? (pid_t)pids[count - 1] : pid;
}

/* Returns when the process began, rounded down: clocks are adjusted, and files have the time of the previous clock
 * tick. */
static int64_t begin_of(const char *process)
{
    enum { TOLERANCE_S = 2 };
    struct timespec real, since_boot;
    struct buffer text = {0};
    uint64_t ticks;
    bool known = read_text(process, "stat", &text) && proctext_start_time(text.bytes, &ticks);
    buffer_fini(&text);
    if (!known || clock_gettime(CLOCK_REALTIME, &real) < 0 || clock_gettime(CLOCK_BOOTTIME, &since_boot) < 0)
        return INT64_MIN;
    return (int64_t)real.tv_sec - (int64_t)since_boot.tv_sec + (int64_t)(ticks / (uint64_t)sysconf(_SC_CLK_TCK)) -
           TOLERANCE_S;
}

void jit_file_find(struct jit_folders *folders, pid_t pid, struct jit_file *file)
{
    char process[PROCESS_FOLDER_SIZE], root[PROCESS_FOLDER_SIZE + 8], seen[2];
    struct stat about;
    process_folder(pid, process);
    snprintf(root, sizeof root, "%s/root", process);
    bool lives = proc_readlink(root, seen, sizeof seen) > 0;
    if (!lives && file->folder >= 0)
        return;
    file->owner = proc_stat(process, &about, 0) == 0 ? about.st_uid : geteuid();
    file->viewer = process_viewer(process);
    file->folder = find_folder(folders, lives ? root : "", file->owner);
    file->inside = number_inside(process, pid);
    file->began_s = begin_of(process);
}

static int open_map(const struct jit_file *file)
{
    const uint64_t only_here = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV;
    char name[32], self[40];
    struct stat about;
    snprintf(name, sizeof name, "perf-%d.map", (int)file->inside);
    int fd = -EINVAL, found = file->folder < 0 ? -ENOENT : find(file->folder, name, O_NOFOLLOW, only_here);
    if (found < 0)
        return found;
    snprintf(self, sizeof self, "/proc/self/fd/%d", found);
    if (fstat(found, &about) == 0 && S_ISREG(about.st_mode) && about.st_mtim.tv_sec >= file->began_s &&
        (about.st_uid == file->owner || about.st_uid == geteuid()))
        fd = proc_open(self, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    close(found);
    return fd;
}

int jit_file_open(const struct jit_file *file)
{
    bool changed = viewer_begin(&file->viewer);
    int fd = open_map(file);
    if (changed)
        viewer_end();
    if (fd < 0 || changed || !viewer_is_other(&file->viewer) || viewer_may_read(&file->viewer, fd))
        return fd;
    close(fd);
    return -EACCES;
}
