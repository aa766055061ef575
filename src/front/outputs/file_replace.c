/* SPDX-License-Identifier: MIT */
#include "front/outputs/file_replace.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

bool file_is_replaceable(int fd, const struct stat *about)
{
    struct statx more;
    bool mounted = statx(fd, "", AT_EMPTY_PATH, 0, &more) == 0 && more.stx_attributes & STATX_ATTR_MOUNT_ROOT;
    return about->st_nlink == 1 && !mounted;
}

static bool have_same_attributes(int old, int new)
{
    char names[4096], others[4096], value[4096], other[4096];
    ssize_t size = flistxattr(old, names, sizeof names);
    if (size < 0 && errno == ENOTSUP)
        return true;
    if (size < 0 || flistxattr(new, others, sizeof others) != size)
        return false;
    for (const char *name = names; name < names + size; name += strlen(name) + 1) {
        ssize_t length = fgetxattr(old, name, value, sizeof value);
        if (length < 0 || fgetxattr(new, name, other, sizeof other) != length || memcmp(value, other, (size_t)length))
            return false;
    }
    return true;
}

bool file_make_like(int new, int old, const struct stat *about)
{
    return fchown(new, about->st_uid, about->st_gid) == 0 && fchmod(new, about->st_mode & 07777) == 0 &&
           have_same_attributes(old, new);
}
