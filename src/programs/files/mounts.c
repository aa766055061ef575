/* SPDX-License-Identifier: MIT */
#include "programs/files/mounts.h"

#include "common/base/array.h"
#include "common/base/buffer.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LIMIT = 4 << 20 };

/* The numbers of mounts. */
struct mounts {
    uint64_t *items;
    size_t count, room;
};

static struct mounts noted;

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
    if (!list(&noted))
        noted.count = 0;
}

/* A mount that is not in our namespace does not count as new: it disappears with its own namespace. */
bool mounts_is_new(int fd)
{
    struct mounts now = {0};
    struct statx about;
    if (!noted.count || statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &about) < 0 || !(about.stx_mask & STATX_MNT_ID) ||
        have(&noted, about.stx_mnt_id))
        return false;
    bool is_new = list(&now) && have(&now, about.stx_mnt_id);
    free(now.items);
    return is_new;
}
