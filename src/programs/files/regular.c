/* SPDX-License-Identifier: MIT */
#include "programs/files/regular.h"

#include "common/base/kernel.h"
#include "common/base/proc.h"
#include "common/base/viewer.h"
#include "programs/files/identity.h"
#include "programs/files/links.h"
#include "programs/files/served.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

/* File systems with files that the kernel generates on reading, or that do something when opened. */
static const uint32_t made_up[] = {
    PROC_SUPER_MAGIC,    SYSFS_MAGIC,          TRACEFS_MAGIC,        DEBUGFS_MAGIC,     CGROUP_SUPER_MAGIC,
    CGROUP2_SUPER_MAGIC, SECURITYFS_MAGIC,     AAFS_MAGIC,           SELINUX_MAGIC,     SMACK_MAGIC,
    BPF_FS_MAGIC,        BINFMTFS_MAGIC,       PSTOREFS_MAGIC,       EFIVARFS_MAGIC,    DEVPTS_SUPER_MAGIC,
    NSFS_MAGIC,          RDTGROUP_SUPER_MAGIC, BINDERFS_SUPER_MAGIC, XENFS_SUPER_MAGIC, 0x62656570, /* configfs */
    0x19800202,                                                                                     /* mqueue */
    0x65735543,                                                                                     /* fusectl */
    0x6e667364,                                                                                     /* nfsd */
    0x67596969,                                                                                     /* rpc_pipefs */
    0x0a647361,                                                                                     /* functionfs */
    0xaee71ee7,                                                                                     /* gadgetfs */
};

/* Returns an O_PATH descriptor of the file, or -errno. */
static int find_under(const char *root, const char *path)
{
    struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
    char joined[PATH_MAX];
    int directory, found, length;
    directory = proc_open(root, O_PATH | O_DIRECTORY);
    if (directory < 0)
        return directory;
    found = (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
    if (found < 0)
        found = -errno;
    close(directory);
    if (found != -ENOSYS && found != -EPERM)
        return found;
    /* On an old kernel or in a sandbox, absolute links then lead out of ROOT. The result is a wrong file, but only one
     * that we may read. */
    length = snprintf(joined, sizeof joined, "%s%s", root, path);
    if (length < 0 || (size_t)length >= sizeof joined)
        return -ENAMETOOLONG;
    return proc_open(joined, O_PATH);
}

/* Returns true if the file behind PLACE holds stored bytes. A file that the kernel generates, in a file system not
 * listed above, has size 0, or takes no room and is on no device. File systems that processes serve may not count the
 * room. */
static bool is_stored(int place, const struct stat *about)
{
    struct statfs system;
    if (!S_ISREG(about->st_mode) || about->st_size <= 0 || fstatfs(place, &system) < 0)
        return false;
    for (size_t i = 0; i < sizeof made_up / sizeof *made_up; i++)
        if ((uint32_t)system.f_type == made_up[i])
            return false;
    return about->st_blocks || major(about->st_dev) || (uint32_t)system.f_type == FUSE_SUPER_MAGIC;
}

static int open_now(const char *root, const char *path, struct file_identity *identity)
{
    struct stat information;
    char name[sizeof "/proc/self/fd/" + 3 * sizeof(int)];
    int place, fd;
    place = root && *root ? find_under(root, path) : proc_open(path, O_PATH);
    if (place < 0)
        return place;
    if (fstat(place, &information) < 0)
        fd = -errno;
    else if (!is_stored(place, &information))
        fd = -EINVAL;
    else {
        snprintf(name, sizeof name, "/proc/self/fd/%d", place);
        fd = proc_open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    }
    close(place);
    if (fd >= 0 && identity)
        *identity = file_identity_of(fd);
    return fd;
}

int regular_open_here(const char *path)
{
    return open_now(NULL, path, NULL);
}

int regular_copy(const char *root, const char *path, struct file_identity *identity)
{
    return served_copy(open_now, root, path, identity);
}

int regular_open_in_time(const char *path, struct file_identity *identity)
{
    return served_open_in_time(open_now, NULL, path, identity);
}

/* Returns true if PATH is in our own /proc. Such a file may have no other name: its links are not paths. */
static bool is_of_proc(const char *root, const char *path)
{
    return !(root && *root) && !strncmp(path, "/proc/", sizeof "/proc/" - 1);
}

int regular_open(const char *root, const char *path, struct file_identity *identity)
{
    struct file_identity unwanted;
    char place[PATH_MAX];
    int result = is_of_proc(root, path) ? -ENOSYS : links_resolve(root, path, place);
    if (result == -EREMOTE)
        return served_open_in_time(open_now, root, path, identity ? identity : &unwanted);
    if (result < 0 && result != -ENOSYS)
        return result;
    return open_now(root, result ? path : place, identity);
}

int regular_open_for(const struct viewer *viewer, const char *root, const char *path, struct file_identity *identity)
{
    bool changed = viewer_begin(viewer);
    int fd = regular_open(root, path, identity);
    if (changed)
        viewer_end();
    if (fd < 0 || changed || !viewer_is_other(viewer) || viewer_may_read(viewer, fd))
        return fd;
    close(fd);
    return -EACCES;
}
