/* SPDX-License-Identifier: MIT */
#include "programs/files/remapped.h"

#include "common/model/proctext.h"

#include <string.h>
#include <unistd.h>

bool remapped_is_memory(const char *path, size_t size)
{
    static const char *const names[] = {"/memfd:", "/SYSV", "/dev/zero", "/anon_hugepage"};
    bool memory = !size || path[0] != '/';
    for (size_t i = 0; i < sizeof names / sizeof *names && !memory; i++)
        memory = size >= strlen(names[i]) && !memcmp(path, names[i], strlen(names[i]));
    return memory;
}

/* The nearest mappings of files on both sides of a range, if only memory is in between. */
struct neighbours {
    struct maps_line before, behind;
    bool has_before, has_behind;
};

static struct neighbours find_neighbours(const char *text, const struct address_range *range)
{
    struct neighbours found = {0};
    struct maps_line line;
    uint64_t end = 0;
    while (!found.has_behind && proctext_maps_next(&text, &line) && (line.start == end || line.start <= range->start)) {
        bool is_file = line.inode && !remapped_is_memory(line.path, line.path_length);
        if (line.start < range->end && (is_file || line.start != end)) {
            found.has_before = is_file && line.start < range->start;
            found.before = line;
        } else if (line.start >= range->end && is_file) {
            found.has_behind = true;
            found.behind = line;
        }
        end = line.end;
    }
    return found;
}

static void guess(struct address_range *guesses, size_t *count, const struct address_range *range,
                  const struct maps_line *file, uint64_t offset)
{
    char *path = strndup(file->path, file->path_length);
    if (path)
        guesses[(*count)++] = (struct address_range){.start = range->start,
                                                     .end = range->end,
                                                     .offset = offset,
                                                     .inode = file->inode,
                                                     .device_major = file->device_major,
                                                     .device_minor = file->device_minor,
                                                     .path = path};
}

/* If one segment ends and the next begins in a page, some linkers map this page of the file twice. */
size_t remapped_guess(const char *text, const struct address_range *range,
                      struct address_range guesses[static REMAPPED_GUESSES])
{
    const uint64_t page = (uint64_t)getpagesize();
    struct neighbours found = find_neighbours(text, range);
    size_t count = 0;
    if (found.has_before) {
        uint64_t offset = found.before.offset + (range->start - found.before.start);
        guess(guesses, &count, range, &found.before, offset);
        if (offset >= page)
            guess(guesses, &count, range, &found.before, offset - page);
    }
    if (found.has_behind && found.behind.offset + page >= found.behind.start - range->start) {
        uint64_t offset = found.behind.offset - (found.behind.start - range->start);
        if (found.behind.offset >= found.behind.start - range->start)
            guess(guesses, &count, range, &found.behind, offset);
        guess(guesses, &count, range, &found.behind, offset + page);
    }
    return count;
}
