/* SPDX-License-Identifier: MIT */
#include "files/process_viewer.h"

#include "base/buffer.h"
#include "model/proctext.h"

#include <stdio.h>
#include <unistd.h>

struct viewer process_viewer(const char *folder)
{
    enum { REAL, EFFECTIVE, SAVED, OF_FILES, NUMBERS, TEXT_LIMIT = 65536 };
    uint64_t users[NUMBERS], groups[NUMBERS];
    struct viewer viewer = {0};
    struct buffer text = {0};
    char path[64];
    snprintf(path, sizeof path, "%s/status", folder);
    if (buffer_read_path(&text, path, TEXT_LIMIT) == 0 &&
        proctext_status_numbers(text.bytes, "Uid", 10, users, NUMBERS) == NUMBERS &&
        proctext_status_numbers(text.bytes, "Gid", 10, groups, NUMBERS) == NUMBERS)
        viewer = (struct viewer){(uid_t)users[OF_FILES], (gid_t)groups[OF_FILES]};
    buffer_fini(&text);
    return viewer_is_other(&viewer) ? viewer : (struct viewer){0};
}
