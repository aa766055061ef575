/* SPDX-License-Identifier: MIT */
#include "programs/files/planted.h"

#include "common/base/proc.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns true for a folder like /tmp: every user may create files, and only their owners may remove them. */
static bool is_sticky(const struct stat *folder)
{
    return folder->st_mode & S_ISVTX && folder->st_mode & (S_IWOTH | S_IWGRP);
}

bool planted_is(int fd)
{
    char link[32], path[PATH_MAX];
    struct stat about, folder;
    if (fstat(fd, &about) < 0 || !(S_ISREG(about.st_mode) || S_ISFIFO(about.st_mode)) || about.st_uid == geteuid())
        return false;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = proc_readlink(link, path, sizeof path);
    char *slash = length > 0 && *path == '/' ? strrchr(path, '/') : NULL;
    if (!slash)
        return false;
    slash[slash == path] = 0;
    return stat(path, &folder) == 0 && is_sticky(&folder) && folder.st_uid != about.st_uid;
}
