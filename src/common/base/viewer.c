/* SPDX-License-Identifier: MIT */
#include "common/base/viewer.h"

#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_GROUPS = 1024 };

static struct {
    gid_t groups[MOST_GROUPS], group;
    uid_t user;
    int count, dumpable;
} own;

bool viewer_is_other(const struct viewer *viewer)
{
    return viewer && viewer->user && viewer->user != geteuid();
}

/* Calls the kernel, because the library's setgroups would change all threads. */
static bool set_groups(int count, const gid_t *groups)
{
    return syscall(SYS_setgroups, count, groups) == 0;
}

bool viewer_begin(const struct viewer *viewer)
{
    if (!viewer_is_other(viewer) || geteuid() != 0)
        return false;
    own.count = getgroups(MOST_GROUPS, own.groups);
    if (own.count < 0 || !set_groups(0, NULL))
        return false;
    own.dumpable = prctl(PR_GET_DUMPABLE);
    own.group = (gid_t)setfsgid(viewer->group);
    own.user = (uid_t)setfsuid(viewer->user);
    /* both calls return the previous id, not whether they failed */
    if ((uid_t)setfsuid((uid_t)-1) == viewer->user && (gid_t)setfsgid((gid_t)-1) == viewer->group)
        return true;
    viewer_end();
    return false;
}

void viewer_end(void)
{
    setfsuid(own.user);
    setfsgid(own.group);
    set_groups(own.count, own.groups);
    prctl(PR_SET_DUMPABLE, own.dumpable); /* the kernel clears it with each change */
}

bool viewer_may_read(const struct viewer *viewer, int fd)
{
    struct stat about;
    if (fstat(fd, &about) < 0)
        return false;
    if (about.st_uid == viewer->user)
        return about.st_mode & S_IRUSR;
    return about.st_mode & (about.st_gid == viewer->group ? S_IRGRP : S_IROTH);
}

void viewer_take_owner(struct viewer *viewer, const struct stat *about)
{
    const struct viewer owner = {about->st_uid, about->st_gid};
    if (!viewer_is_other(viewer) && viewer_is_other(&owner))
        *viewer = owner;
}
