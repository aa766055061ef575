/* SPDX-License-Identifier: MIT
 *
 * Growable arrays. An array of T is three members that its owner declares: `T *items; size_t count, room;`. Lack of
 * memory is returned as an error, never fatal. */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* Makes room for NEED items of SIZE bytes. Returns the block, perhaps moved, with *ROOM updated, or NULL if memory
 * runs out or the size overflows: the old block is then untouched. */
void *array_grow(void *items, size_t *room, size_t need, size_t size);

/* Ensures that (ARRAY)->items can hold one item more. False if memory runs out. */
#define ARRAY_RESERVE_ONE(array)                                                                                       \
    ((array)->count < (array)->room ||                                                                                 \
     array_reserve_((void **)&(array)->items, &(array)->room, (array)->count + 1, sizeof *(array)->items))
bool array_reserve_(void **items, size_t *room, size_t need, size_t size);

#endif
