/* SPDX-License-Identifier: MIT */
#include "programs/files/mark.h"

#include "common/base/hash.h"
#include "common/base/kernel.h"
#include "common/base/proc.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static int64_t ns_of(const struct statx_timestamp *time)
{
    return time->tv_sec * INT64_C(1000000000) + time->tv_nsec;
}

static struct file_mark mark_of(int fd)
{
    struct statx about;
    if (fd < 0 || statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_BASIC_STATS | STATX_BTIME, &about) < 0)
        return (struct file_mark){0};
    return (struct file_mark){
        .device = makedev(about.stx_dev_major, about.stx_dev_minor),
        .inode = about.stx_ino,
        .size = about.stx_size,
        .born_ns = about.stx_mask & STATX_BTIME ? ns_of(&about.stx_btime) : 0,
        .changed_ns = ns_of(&about.stx_ctime),
        .written_ns = ns_of(&about.stx_mtime),
    };
}

/* A linker puts the build ID near the beginning. */
static uint64_t head_of(int fd)
{
    static const char note[] = {3, 0, 0, 0, 'G', 'N', 'U', 0}; /* NT_GNU_BUILD_ID, and its owner */
    char head[4096];
    ssize_t size = pread(fd, head, sizeof head, 0);
    return size > 0 && memmem(head, (size_t)size, note, sizeof note) ? hash_bytes(head, (size_t)size) : 0;
}

struct file_mark file_mark_of_open(int fd)
{
    struct file_mark mark = mark_of(fd);
    mark.head = head_of(fd);
    return mark;
}

bool file_mark_is_rewritten(const struct file_mark *mark, int fd)
{
    struct file_mark now = mark_of(fd);
    if (!now.inode || (now.size == mark->size && now.written_ns == mark->written_ns))
        return false;
    return now.size != mark->size || !mark->head || head_of(fd) != mark->head;
}

struct file_mark file_mark_of(const char *root, const char *path)
{
    struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT | RESOLVE_CACHED};
    int top = proc_open(root, O_PATH | O_DIRECTORY);
    int fd = top < 0 ? -1 : (int)syscall(SYS_openat2, top, path, &how, sizeof how);
    struct file_mark mark = mark_of(fd);
    if (fd >= 0)
        close(fd);
    if (top >= 0)
        close(top);
    return mark;
}

bool file_mark_differs(const struct file_mark *one, const struct file_mark *other)
{
    if (!one->inode || one->device != other->device || one->inode != other->inode)
        return false; /* a path may lead to another file by now */
    if (one->born_ns && other->born_ns)
        return one->born_ns != other->born_ns;
    return one->changed_ns != other->changed_ns || one->size != other->size;
}
