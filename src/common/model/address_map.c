/* SPDX-License-Identifier: MIT */
#include "common/model/address_map.h"

#include "common/base/array.h"
#include "common/base/search.h"
#include "common/model/proctext.h"

#include <stdlib.h>
#include <string.h>

void address_map_fini(struct address_map *map)
{
    for (size_t i = 0; i < map->count; i++)
        free(map->items[i].path);
    free(map->items);
    memset(map, 0, sizeof *map);
}

static bool add(struct address_map *map, const struct maps_line *line)
{
    if (map->count && line->start < map->items[map->count - 1].end)
        return true; /* the kernel's list is sorted; skip anything else */
    if (!ARRAY_RESERVE_ONE(map))
        return false;
    char *path = strndup(line->path, line->path_length);
    if (!path)
        return false;
    map->items[map->count++] = (struct address_range){
        .start = line->start,
        .end = line->end,
        .offset = line->offset,
        .inode = line->inode,
        .device_major = line->device_major,
        .device_minor = line->device_minor,
        .path = path,
    };
    return true;
}

bool address_map_parse(struct address_map *map, const char *text, size_t limit)
{
    struct maps_line line;
    address_map_fini(map);
    while (map->count < limit && proctext_maps_next(&text, &line))
        if (line.executable && !add(map, &line)) {
            address_map_fini(map);
            return false;
        }
    return true;
}

const struct address_range *address_map_find(const struct address_map *map, uint64_t address)
{
    size_t number = SEARCH_UP_TO(map->items, map->count, end, address);
    return number < map->count && address >= map->items[number].start ? &map->items[number] : NULL;
}

bool address_range_same(const struct address_range *one, const struct address_range *other)
{
    return one->start == other->start && one->end == other->end && one->offset == other->offset &&
           one->inode == other->inode && one->device_major == other->device_major &&
           one->device_minor == other->device_minor;
}

bool address_map_lacks(const struct address_map *now, const struct address_map *before)
{
    for (size_t i = 0; i < before->count; i++) {
        const struct address_range *range = &before->items[i], *found = address_map_find(now, range->start);
        if (range->inode && (!found || !address_range_same(range, found)))
            return true;
    }
    return false;
}

bool address_map_equal(const struct address_map *one, const struct address_map *other)
{
    if (one->count != other->count)
        return false;
    for (size_t i = 0; i < one->count; i++) {
        const struct address_range *a = &one->items[i], *b = &other->items[i];
        if (!address_range_same(a, b) || strcmp(a->path, b->path))
            return false;
    }
    return true;
}
