/* SPDX-License-Identifier: MIT */
#include "elf/regular.h"

#include "elf/served.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A descriptor that only stands for the file. Returns it or -errno. */
static int find_under(const char *root, const char *path)
{
    struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
    char joined[PATH_MAX];
    int directory, found, length;

    directory = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0)
        return -errno;
    found = (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
    if (found < 0)
        found = -errno;
    close(directory);
    if (found != -ENOSYS && found != -EPERM)
        return found;
    /* An old kernel or sandbox: absolute links then lead out of ROOT, to the wrong file, but nowhere that we
     * may not read. */
    length = snprintf(joined, sizeof joined, "%s%s", root, path);
    if (length < 0 || (size_t)length >= sizeof joined)
        return -ENAMETOOLONG;
    found = open(joined, O_PATH | O_CLOEXEC);
    return found < 0 ? -errno : found;
}

static int open_now(const char *root, const char *path, uint64_t *inode)
{
    struct stat information;
    char name[sizeof "/proc/self/fd/" + 3 * sizeof(int)];
    int place, fd;

    place = root && *root ? find_under(root, path) : open(path, O_PATH | O_CLOEXEC);
    if (place < 0)
        return root && *root ? place : -errno;
    if (fstat(place, &information) < 0)
        fd = -errno;
    else if (!S_ISREG(information.st_mode))
        fd = -EINVAL;
    else {
        snprintf(name, sizeof name, "/proc/self/fd/%d", place);
        fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        if (fd < 0)
            fd = -errno;
        *inode = information.st_ino;
    }
    close(place);
    return fd;
}

int elf_regular_copy(const char *root, const char *path, uint64_t *inode)
{
    return elf_served_copy(open_now, root, path, inode);
}

int elf_regular_open(const char *root, const char *path, uint64_t *inode)
{
    uint64_t unwanted;

    if (!inode)
        inode = &unwanted;
    return elf_is_served(root, path) ? elf_regular_copy(root, path, inode) : open_now(root, path, inode);
}
