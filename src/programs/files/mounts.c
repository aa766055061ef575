/* SPDX-License-Identifier: MIT */
#include "programs/files/mounts.h"

#include "common/base/array.h"
#include "common/base/buffer.h"
#include "common/base/proc.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LIMIT = 4 << 20 };

/* The numbers of mounts. */
struct mounts {
    uint64_t *items;
    size_t count, room;
};

static struct mounts noted;

/* The mounts of our root directory, of /usr, and of our own program: they stay. */
static uint64_t staying[3];

/* Returns the number of the mount that PATH below FD is on; 0: unknown. */
static uint64_t mount_of(int fd, const char *path)
{
    struct statx about;
    bool known = statx(fd, path, AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_MNT_ID, &about) == 0;
    return known && about.stx_mask & STATX_MNT_ID ? about.stx_mnt_id : 0;
}

/* Each line of the text begins with its mount's number. */
static bool list(struct mounts *mounts)
{
    struct buffer text = {0};
    bool whole = !buffer_read_path(&text, "/proc/self/mountinfo", LIMIT);
    mounts->count = 0;
    for (const char *line = whole ? text.bytes : NULL; line && *line && whole; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (!*line)
            break;
        whole = ARRAY_RESERVE_ONE(mounts);
        if (whole)
            mounts->items[mounts->count++] = strtoull(line, NULL, 10);
    }
    buffer_fini(&text);
    return whole;
}

static bool have(const struct mounts *mounts, uint64_t number)
{
    for (size_t i = 0; i < mounts->count; i++)
        if (mounts->items[i] == number)
            return true;
    return false;
}

void mounts_note(void)
{
    static const char *const paths[] = {"/", "/usr", "/proc/self/exe"};
    if (!list(&noted))
        noted.count = 0;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        staying[i] = mount_of(AT_FDCWD, paths[i]);
}

/* Returns true if mount NUMBER is in our namespace now. */
static bool is_here(uint64_t number)
{
    struct mounts now = {0};
    bool here = list(&now) && have(&now, number);
    free(now.items);
    return here;
}

/* A mount that is not in our namespace does not count as new: it disappears with its own namespace. */
bool mounts_is_new(int fd)
{
    uint64_t number = noted.count ? mount_of(fd, "") : 0;
    return number && !have(&noted, number) && is_here(number);
}

static bool is_root_of(const char *root, uint64_t number)
{
    int fd = proc_open(root, O_PATH | O_DIRECTORY);
    bool is = fd >= 0 && mount_of(fd, "") == number;
    if (fd >= 0)
        close(fd);
    return is;
}

bool mounts_may_end(int fd, const char *root)
{
    uint64_t number = noted.count ? mount_of(fd, "") : 0;
    for (size_t i = 0; i < sizeof staying / sizeof *staying; i++)
        if (!number || number == staying[i])
            return false;
    return have(&noted, number) ? geteuid() == 0 : is_here(number) || !is_root_of(root, number);
}
