/* SPDX-License-Identifier: MIT
 *
 * The executable mappings of a process, from the text of /proc/PID/maps. Pure. */
#ifndef MODEL_ADDRESS_MAP_H
#define MODEL_ADDRESS_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct address_range {
    uint64_t start, end, offset; /* addresses in the process; offset: of start in the file */
    uint64_t inode;
    uint32_t device_major, device_minor;
    char *path; /* owned by the map; "" for anonymous memory */
    bool copy;  /* the file is not mapped, but its content was copied there */
};

struct address_map {
    struct address_range *items; /* sorted by start, not overlapping */
    size_t count, room;
};

/* Frees the ranges; the map is empty afterwards. A zeroed map is empty. */
void address_map_fini(struct address_map *map);

/* Replaces MAP by the executable lines of TEXT, at most LIMIT of them. Returns false, with MAP empty, if memory runs
 * out. */
bool address_map_parse(struct address_map *map, const char *text, size_t limit);

/* Returns the range that contains ADDRESS, or NULL. */
const struct address_range *address_map_find(const struct address_map *map, uint64_t address);

/* Returns true if both ranges map the same part of one file, whatever its path, at the same addresses. */
bool address_range_same(const struct address_range *one, const struct address_range *other);

/* Returns true if BEFORE has a range of a file that NOW does not have. */
bool address_map_lacks(const struct address_map *now, const struct address_map *before);

/* Returns true if both contain the same ranges of the same files. */
bool address_map_equal(const struct address_map *one, const struct address_map *other);

#endif
