/* SPDX-License-Identifier: MIT */
#include "programs/elf/ranges.h"

#include "common/base/array.h"
#include "common/base/search.h"
#include "programs/elf/file.h"
#include "programs/elf/unwind_place.h"
#include "programs/elf/unwind_table.h"

#include <errno.h>
#include <stdlib.h>

struct collector {
    struct elf_ranges *ranges;
    const struct elf_file *file;
};

static bool collect(void *owner, uint64_t start, uint64_t end, uint64_t offset)
{
    struct collector *collector = owner;
    (void)offset;
    if (!elf_file_is_text(collector->file, start))
        return true;
    if (!ARRAY_RESERVE_ONE(collector->ranges))
        return false;
    collector->ranges->items[collector->ranges->count++] = (struct elf_range){start, end};
    return true;
}

static int compare_ranges(const void *a, const void *b)
{
    const struct elf_range *one = a, *other = b;
    if (one->start != other->start)
        return one->start < other->start ? -1 : 1;
    return (one->end > other->end) - (one->end < other->end);
}

/* Sorts the ranges, keeps the longest of ranges with equal start, and cuts each range where the next begins. */
static void sort_and_part(struct elf_ranges *ranges)
{
    size_t kept = 0;
    if (!ranges->count)
        return;
    qsort(ranges->items, ranges->count, sizeof *ranges->items, compare_ranges);
    for (size_t i = 0; i < ranges->count; i++) {
        struct elf_range *last = kept ? &ranges->items[kept - 1] : NULL;
        if (last && last->start == ranges->items[i].start)
            kept--;
        else if (last && last->end > ranges->items[i].start)
            last->end = ranges->items[i].start;
        ranges->items[kept++] = ranges->items[i];
    }
    ranges->count = kept;
}

int elf_ranges_read(struct elf_ranges *ranges, const struct elf_file *file, const struct elf_sections *sections)
{
    struct collector collector = {.ranges = ranges, .file = file};
    struct elf_unwind_place place;
    uint8_t *bytes;
    size_t size;
    int status = 0;
    elf_ranges_fini(ranges);
    if (!elf_unwind_place(file, sections, &place))
        return 0;
    size = (size_t)(place.end - place.start);
    bytes = malloc(size);
    if (!bytes)
        return -ENOMEM;
    if (elf_file_read(file, place.start, bytes, size) == 0 &&
        !elf_unwind_table_walk(bytes, size, place.start, ELF_UNWIND_EH_FRAME, elf_file_is_compat(file), collect,
                               &collector))
        status = -ENOMEM;
    free(bytes);
    sort_and_part(ranges);
    return status;
}

void elf_ranges_fini(struct elf_ranges *ranges)
{
    free(ranges->items);
    *ranges = (struct elf_ranges){0};
}

const struct elf_range *elf_ranges_find(const struct elf_ranges *ranges, uint64_t vaddr)
{
    size_t count = SEARCH_UP_TO(ranges->items, ranges->count, start, vaddr);
    return count && vaddr < ranges->items[count - 1].end ? &ranges->items[count - 1] : NULL;
}

uint64_t elf_ranges_next_start(const struct elf_ranges *ranges, uint64_t vaddr)
{
    size_t count = SEARCH_UP_TO(ranges->items, ranges->count, start, vaddr);
    return count < ranges->count ? ranges->items[count].start : UINT64_MAX;
}
