/* SPDX-License-Identifier: MIT */
#include "common/base/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *array_grow(void *items, size_t *room, size_t need, size_t size)
{
    if (need <= *room && items)
        return items;
    size_t wanted = *room ? *room : 8;
    while (wanted < need) {
        if (wanted > SIZE_MAX / 2)
            return NULL;
        wanted *= 2;
    }
    if (size && wanted > PTRDIFF_MAX / size)
        return NULL;
    void *grown = realloc(items, wanted * size);
    if (grown)
        *room = wanted;
    return grown;
}

bool array_reserve_(void **items, size_t *room, size_t need, size_t size)
{
    void *old, *grown;
    memcpy(&old, items, sizeof old); /* the caller's pointer has another type */
    grown = array_grow(old, room, need, size);
    if (!grown)
        return false;
    memcpy(items, &grown, sizeof grown);
    return true;
}
