/* SPDX-License-Identifier: MIT */
#include "programs/files/planted.h"

#include "common/base/proc.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
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

/* Returns true if the last name in PATH is a stranger's in a folder like /tmp. */
static bool is_strangers_name(const char *path)
{
    char parent[PATH_MAX];
    struct stat about, folder;
    if (lstat(path, &about) < 0 || about.st_uid == geteuid() || !about.st_uid)
        return false;
    snprintf(parent, sizeof parent, "%.*s", (int)(PATH_MAX - 1), path);
    char *slash = strrchr(parent, '/');
    if (slash)
        slash[slash == parent] = 0;
    return stat(slash ? parent : ".", &folder) == 0 && is_sticky(&folder) && folder.st_uid != about.st_uid;
}

bool planted_is_link(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0 && S_ISLNK(about.st_mode) && is_strangers_name(path);
}

/* Returns true if a name in PATH, a folder, is a stranger's. */
static bool has_strangers_name(const char *path)
{
    char part[PATH_MAX];
    for (const char *end = path + strspn(path, "/"); *end; end += strspn(end, "/")) {
        end += strcspn(end, "/");
        snprintf(part, sizeof part, "%.*s", (int)(end - path), path);
        if (is_strangers_name(part))
            return true;
    }
    return false;
}

bool planted_is_folder(const char *path)
{
    char whole[PATH_MAX];
    return strlen(path) >= PATH_MAX || has_strangers_name(path) || (realpath(path, whole) && has_strangers_name(whole));
}
