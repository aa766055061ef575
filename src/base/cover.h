/* SPDX-License-Identifier: MIT
 *
 * Turns overlapping ranges into pieces that do not overlap. At each address, the range with the highest priority wins.
 * Pure. */
#ifndef BASE_COVER_H
#define BASE_COVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cover_range {
    uint64_t start, end; /* an empty range covers nothing */
    uint32_t item;       /* the owner's number for it */
    uint32_t priority;
};

struct cover {
    struct cover_range *pieces; /* sorted, not overlapping */
    size_t count, room;
};

/* Sorts the COUNT RANGES by start and fills COVER, which the caller has zeroed. Takes time O(COUNT log COUNT), and
 * makes at most 2 * COUNT pieces. Returns false, with COVER empty, if memory runs out. */
bool cover_build(struct cover *cover, struct cover_range *ranges, size_t count);

/* Frees the pieces. COVER is empty afterwards. */
void cover_fini(struct cover *cover);

/* Returns the piece that contains ADDRESS, or NULL. */
const struct cover_range *cover_find(const struct cover *cover, uint64_t address);

#endif
