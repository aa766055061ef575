/* SPDX-License-Identifier: MIT
 *
 * Turns overlapping ranges into pieces that do not overlap. At each address, the range with the highest priority wins.
 * Pure. */
#ifndef ELF_RANGE_COVER_H
#define ELF_RANGE_COVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct range_cover_part {
    uint64_t start, end; /* an empty range covers nothing */
    uint32_t item;       /* the owner's number for it */
    uint32_t priority;
};

struct range_cover {
    struct range_cover_part *pieces; /* sorted, not overlapping */
    size_t count, room;
};

/* Sorts the COUNT RANGES by start and fills COVER, which the caller has zeroed. Takes time O(COUNT log COUNT), and
 * makes at most 2 * COUNT pieces. Returns false, with COVER empty, if memory runs out. */
bool range_cover_build(struct range_cover *cover, struct range_cover_part *ranges, size_t count);

/* Frees the pieces. COVER is empty afterwards. */
void range_cover_fini(struct range_cover *cover);

/* Returns the piece that contains ADDRESS, or NULL. */
const struct range_cover_part *range_cover_find(const struct range_cover *cover, uint64_t address);

#endif
