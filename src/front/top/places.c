/* SPDX-License-Identifier: MIT */
#include "front/top/places.h"

#include "common/base/array.h"
#include "common/base/buffer.h"
#include "front/record/record.h"
#include "profile/report/homonyms.h"

#include <stdlib.h>
#include <string.h>

enum { FRAMES_MOST = 64 };

void places_free(struct places *places)
{
    free(places->places.items);
    hash_fini(&places->places.index);
    free(places->nodes.items);
    free(places->frames.items);
    for (size_t i = 0; i < places->functions.count; i++)
        free(places->functions.items[i].shown);
    free(places->functions.items);
    hash_fini(&places->functions.index);
    names_fini(&places->names);
    texts_fini(&places->modules);
    texts_fini(&places->labels);
    if (places->known.profile)
        profile_free(builder_finish(&places->known));
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
    struct places_item item = {.object = node->object, .address = node->address, .location = PROFILE_NONE};
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
    return a->name == b->name && a->module == b->module && a->label == b->label;
}

static uint32_t find_function(struct places *places, const char *name, const char *module, bool fixed,
                              const char *label)
{
    struct places_function like = {
        .name = names_add(&places->names, name, fixed || places->full_names),
        .module = texts_add(&places->modules, module),
        .label = label ? texts_add(&places->labels, label) : HASH_NONE,
    };
    if (like.name == HASH_NONE || like.module == HASH_NONE || (label && like.label == HASH_NONE))
        return HASH_NONE;
    uint64_t value = hash_number(hash_number((uint64_t)like.name << 32 | like.module) ^ like.label);
    return HASH_INTERN(&places->functions, value, is_function, places, &like);
}

uint32_t places_function(struct places *places, const char *name, const char *module, bool fixed)
{
    return find_function(places, name, module, fixed, NULL);
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

/* Sets FUNCTIONS, with room for MOST, to those of LOCATION in PROFILE, innermost first. LABELS: of its functions, or
 * NULL. Returns their number, or 0 if memory runs out. */
static uint32_t functions_of(struct places *places, const struct profile *profile, char *const *labels,
                             uint32_t location, uint32_t *functions, uint32_t most)
{
    const struct profile_location *about = &profile->locations[location];
    uint32_t count = about->line_count < most ? about->line_count : most;
    for (uint32_t i = 0; i < (count ? count : 1); i++) {
        uint32_t number = count ? profile->lines[about->line_first + i].function : about->function;
        const struct profile_function *function = &profile->functions[number];
        functions[i] =
            find_function(places, function->name, profile->modules[function->module].name,
                          names_stay(function->name, function->linkage_name != NULL), labels ? labels[number] : NULL);
        if (functions[i] == HASH_NONE)
            return 0;
    }
    return count ? count : 1;
}

bool places_set_location(struct places *places, uint32_t number, uint32_t location)
{
    uint32_t functions[FRAMES_MOST];
    uint32_t count = functions_of(places, places->known.profile, NULL, location, functions, FRAMES_MOST);
    places->places.items[number].location = location;
    return count && places_set(places, number, functions, count);
}

/* Gives the functions of all places their labels in VIEW. */
static void set_labels(struct places *places, const struct homonyms *view)
{
    uint32_t functions[FRAMES_MOST];
    for (size_t i = 0; i < places->places.count; i++) {
        const struct places_item *item = &places->places.items[i];
        if (item->state != PLACES_KNOWN || item->location == PROFILE_NONE)
            continue;
        uint32_t count = functions_of(places, &view->profile, view->labels, item->location, functions, FRAMES_MOST);
        if (count)
            memcpy(&places->frames.items[item->first], functions, count * sizeof *functions);
    }
    places->settled = 0;
}

static bool find_labels(struct places *places, struct homonyms *view)
{
    for (size_t i = 0; i < view->profile.function_count; i++) {
        const struct profile_function *function = &view->profile.functions[i];
        bool fixed = places->full_names || names_stay(function->name, function->linkage_name != NULL);
        view->names[i] = names_add(&places->names, function->name, fixed);
        if (view->names[i] == HASH_NONE)
            return false;
    }
    return !homonyms_label(view, 1);
}

/* Tells different functions of one name apart, if new ones were read. Without enough memory, they stay one. */
static void label(struct places *places)
{
    const struct builder *known = &places->known;
    struct homonyms view;
    bool any = false;
    if (!known->profile || places->labelled == known->profile->location_count)
        return;
    struct profile profile = *known->profile;
    profile.files = known->files.items;
    places->labelled = profile.location_count;
    if (homonyms_init(&view, &profile) < 0)
        return;
    bool found = find_labels(places, &view);
    for (size_t i = 0; i < view.profile.function_count && found && !any; i++)
        any = view.labels[i] != NULL;
    if (any)
        set_labels(places, &view);
    homonyms_fini(&view);
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

/* Makes the displayed name of a function with a label. */
static bool show(struct places *places, struct places_function *function)
{
    struct buffer text = {0};
    free(function->shown);
    buffer_printf(&text, "%s (%s)", places->names.items[function->name].shown, places->labels.items[function->label]);
    if (text.failed)
        buffer_fini(&text);
    function->shown = text.bytes;
    return text.bytes != NULL;
}

bool places_settle(struct places *places)
{
    label(places);
    if (places->settled == places->names.whole.count)
        return true;
    bool done = names_settle(&places->names);
    for (size_t i = 0; i < places->functions.count && done; i++)
        if (places->functions.items[i].label != HASH_NONE)
            done = show(places, &places->functions.items[i]);
    if (done)
        places->settled = places->names.whole.count;
    return done;
}

const char *places_name(const struct places *places, uint32_t number)
{
    const struct places_function *function = &places->functions.items[number];
    return function->shown ? function->shown : places->names.items[function->name].shown;
}

const char *places_module(const struct places *places, uint32_t number)
{
    return places->modules.items[places->functions.items[number].module];
}
