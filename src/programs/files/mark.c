/* SPDX-License-Identifier: MIT */
#include "programs/files/mark.h"

#include "common/base/proc.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static int64_t ns_of(const struct statx_timestamp *time)
{
    return time->tv_sec * INT64_C(1000000000) + time->tv_nsec;
}

struct file_mark file_mark_of(const char *root, const char *path)
{
    struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT | RESOLVE_CACHED};
    struct statx about;
    struct file_mark mark = {0};
    int top = proc_open(root, O_PATH | O_DIRECTORY);
    int fd = top < 0 ? -1 : (int)syscall(SYS_openat2, top, path, &how, sizeof how);
    if (fd >= 0 && statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_BASIC_STATS | STATX_BTIME, &about) == 0)
        mark = (struct file_mark){
            .device = makedev(about.stx_dev_major, about.stx_dev_minor),
            .inode = about.stx_ino,
            .size = about.stx_size,
            .born_ns = about.stx_mask & STATX_BTIME ? ns_of(&about.stx_btime) : 0,
            .changed_ns = ns_of(&about.stx_ctime),
        };
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
