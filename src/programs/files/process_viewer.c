/* SPDX-License-Identifier: MIT */
#include "programs/files/process_viewer.h"

#include "common/base/buffer.h"
#include "common/base/viewer.h"
#include "common/model/proctext.h"

#include <stdio.h>
#include <unistd.h>

bool process_viewer_find(const char *folder, struct viewer *viewer)
{
    enum { REAL, EFFECTIVE, SAVED, OF_FILES, NUMBERS, TEXT_LIMIT = 65536 };
    uint64_t users[NUMBERS], groups[NUMBERS];
    struct buffer text = {0};
    char path[64];
    snprintf(path, sizeof path, "%s/status", folder);
    bool found = buffer_read_path(&text, path, TEXT_LIMIT) == 0 &&
                 proctext_status_numbers(text.bytes, "Uid", 10, users, NUMBERS) == NUMBERS &&
                 proctext_status_numbers(text.bytes, "Gid", 10, groups, NUMBERS) == NUMBERS;
    *viewer = (struct viewer){0};
    if (found)
        *viewer = (struct viewer){(uid_t)users[OF_FILES], (gid_t)groups[OF_FILES]};
    buffer_fini(&text);
    if (!viewer_is_other(viewer))
        *viewer = (struct viewer){0};
    return found;
}

struct viewer process_viewer(const char *folder)
{
    struct viewer viewer;
    process_viewer_find(folder, &viewer);
    return viewer;
}
