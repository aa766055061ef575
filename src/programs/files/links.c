/* SPDX-License-Identifier: MIT */
#include "programs/files/links.h"

#include "common/base/kernel.h"
#include "common/base/proc.h"
#include "programs/files/served.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_LINKS = 40 };

/* The state of resolving a path. `done` has no links; `ahead` may have some. */
struct walk {
    const char *root;
    int top, links;
    char *done; /* of PATH_MAX bytes; "": at the root directory */
    char ahead[PATH_MAX];
};

static int open_done(const struct walk *walk, bool whole)
{
    struct open_how how = {.flags = O_PATH | O_CLOEXEC | (whole ? 0 : O_NOFOLLOW),
                           .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS};
    int found = (int)syscall(SYS_openat2, walk->top, walk->done, &how, sizeof how);
    return found >= 0 ? found : errno == EPERM ? -ENOSYS : -errno;
}

/* Takes the first name from the path ahead. Returns false if none is left. */
static bool next_name(struct walk *walk, char name[static PATH_MAX])
{
    size_t from = strspn(walk->ahead, "/"), length = strcspn(walk->ahead + from, "/");
    memcpy(name, walk->ahead + from, length);
    name[length] = 0;
    memmove(walk->ahead, walk->ahead + from + length, strlen(walk->ahead + from + length) + 1);
    return length;
}

static void go_back(struct walk *walk)
{
    char *slash = strrchr(walk->done, '/');
    if (slash)
        *slash = 0;
}

static int go_to(struct walk *walk, const char *name)
{
    size_t length = strlen(walk->done);
    int more = snprintf(walk->done + length, PATH_MAX - length, "/%s", name);
    return more < 0 || (size_t)more >= PATH_MAX - length ? -ENAMETOOLONG : 0;
}

/* Follows the link that FD is open on. Its name is the last one in `done`. */
static int follow(struct walk *walk, int fd)
{
    char target[PATH_MAX], ahead[2 * PATH_MAX];
    ssize_t length = readlinkat(fd, "", target, sizeof target - 1);
    if (length < 0)
        return -errno;
    target[length] = 0;
    if (++walk->links > MOST_LINKS)
        return -ELOOP;
    if (snprintf(ahead, sizeof ahead, "%s/%s", target, walk->ahead) >= PATH_MAX)
        return -ENAMETOOLONG;
    strcpy(walk->ahead, ahead);
    go_back(walk);
    if (*target == '/')
        *walk->done = 0;
    return 0;
}

static int step(struct walk *walk, const char *name)
{
    struct stat about;
    if (!strcmp(name, "."))
        return 0;
    if (!strcmp(name, "..")) {
        go_back(walk);
        return 0;
    }
    int result = go_to(walk, name);
    if (result < 0)
        return result;
    if (served_how(walk->root, walk->done))
        return -EREMOTE;
    int fd = open_done(walk, false);
    if (fd < 0)
        return fd;
    result = fstat(fd, &about) < 0 ? -errno : S_ISLNK(about.st_mode) ? follow(walk, fd) : 0;
    close(fd);
    return result;
}

/* Walks PATH. Most paths have no links, and one lookup proves that. */
static int go(struct walk *walk, const char *path)
{
    char name[PATH_MAX];
    int result = go_to(walk, path + 1), found;
    if (result < 0)
        return result;
    bool back = strstr(path, "/..");
    if (!back && served_how(walk->root, walk->done))
        return -EREMOTE;
    found = back ? -ELOOP : open_done(walk, true);
    if (found >= 0)
        close(found);
    if (found != -ELOOP)
        return found < 0 ? found : 0;
    strcpy(walk->ahead, walk->done);
    *walk->done = 0;
    while (!result && next_name(walk, name))
        result = step(walk, name);
    return result;
}

int links_resolve(const char *root, const char *path, char place[static PATH_MAX])
{
    struct walk walk = {.root = root, .done = place};
    *place = 0;
    walk.top = proc_open(root && *root ? root : "/", O_PATH | O_DIRECTORY);
    if (walk.top < 0)
        return walk.top;
    int result = go(&walk, path);
    close(walk.top);
    if (!result && !*place)
        strcpy(place, "/");
    return result;
}
