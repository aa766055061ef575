/* SPDX-License-Identifier: MIT */
#include "front/top/places.h"

#include "common/base/array.h"
#include "front/record/record.h"

#include <stdlib.h>
#include <string.h>

void places_free(struct places *places)
{
    free(places->places.items);
    hash_fini(&places->places.index);
    free(places->nodes.items);
    free(places->frames.items);
    free(places->functions.items);
    hash_fini(&places->functions.index);
    names_fini(&places->names);
    texts_fini(&places->modules);
    memset(places, 0, sizeof *places);
}

static bool is_place(const void *owner, uint32_t number, const void *key)
{
    const struct places_item *a = &((const struct places *)owner)->places.items[number], *b = key;
    return a->object == b->object && a->address == b->address;
}

/* Returns the number of the place, which is added if it is new. */
static uint32_t place_of(struct places *places, const struct record_node *node)
{
    struct places_item item = {.object = node->object, .address = node->address};
    uint64_t value = hash_number(node->address ^ hash_number(node->object));
    return HASH_INTERN(&places->places, value, is_place, places, &item);
}

bool places_follow(struct places *places, const struct record *record)
{
    while (places->nodes.count < record->nodes.count) {
        uint32_t place = place_of(places, &record->nodes.items[places->nodes.count]);
        if (place == HASH_NONE || !ARRAY_RESERVE_ONE(&places->nodes))
            return false;
        places->nodes.items[places->nodes.count++] = place;
    }
    return true;
}

static bool is_function(const void *owner, uint32_t number, const void *key)
{
    const struct places_function *a = &((const struct places *)owner)->functions.items[number], *b = key;
    return a->name == b->name && a->module == b->module;
}

uint32_t places_function(struct places *places, const char *name, const char *module, bool fixed)
{
    struct places_function like = {
        .name = names_add(&places->names, name, fixed || places->full_names),
        .module = texts_add(&places->modules, module),
    };
    if (like.name == HASH_NONE || like.module == HASH_NONE)
        return HASH_NONE;
    uint64_t value = hash_number((uint64_t)like.name << 32 | like.module);
    return HASH_INTERN(&places->functions, value, is_function, places, &like);
}

bool places_set(struct places *places, uint32_t number, const uint32_t *functions, size_t count)
{
    size_t first = places->frames.count;
    if (!array_reserve_((void **)&places->frames.items, &places->frames.room, first + count,
                        sizeof *places->frames.items))
        return false;
    memcpy(places->frames.items + first, functions, count * sizeof *functions);
    places->frames.count += count;
    struct places_item *item = &places->places.items[number];
    item->state = PLACES_KNOWN;
    item->first = (uint32_t)first;
    item->count = (uint32_t)count;
    return true;
}

size_t places_pick(struct places *places, uint32_t *picked, size_t most)
{
    struct places_item *items = places->places.items;
    size_t count = 0, i = places->first_new;
    while (i < places->places.count && items[i].state != PLACES_NEW)
        i++;
    places->first_new = i;
    for (uint32_t object = i < places->places.count ? items[i].object : 0; i < places->places.count && count < most;
         i++)
        if (items[i].state == PLACES_NEW && items[i].object == object) {
            items[i].state = PLACES_ASKED;
            picked[count++] = (uint32_t)i;
        }
    return count;
}

bool places_settle(struct places *places)
{
    if (places->settled == places->names.whole.count)
        return true;
    if (!names_settle(&places->names))
        return false;
    places->settled = places->names.whole.count;
    return true;
}

const char *places_name(const struct places *places, uint32_t number)
{
    return places->names.items[places->functions.items[number].name].shown;
}

const char *places_module(const struct places *places, uint32_t number)
{
    return places->modules.items[places->functions.items[number].module];
}
