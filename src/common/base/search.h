/* SPDX-License-Identifier: MIT
 *
 * Binary search in an array sorted by a number in each item. */
#ifndef BASE_SEARCH_H
#define BASE_SEARCH_H

#include <stddef.h>
#include <stdint.h>

/* Returns how many of the COUNT items at ITEMS have a FIELD of at most KEY. They are sorted by FIELD, a uint64_t. */
#define SEARCH_UP_TO(items, count, field, key)                                                                         \
    search_up_to_(items, count, sizeof *(items), offsetof(__typeof__(*(items)), field), key)

/* Returns how many of them have a FIELD below KEY. */
#define SEARCH_BELOW(items, count, field, key) ((key) ? SEARCH_UP_TO(items, count, field, (key)-1) : 0)

static inline size_t search_up_to_(const void *items, size_t count, size_t size, size_t offset, uint64_t key)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (*(const uint64_t *)(const void *)((const char *)items + middle * size + offset) <= key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#endif
