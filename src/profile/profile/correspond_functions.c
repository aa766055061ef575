/* SPDX-License-Identifier: MIT
 *
 * Compares two builds of one program: which functions correspond. */
#include "profile/profile/correspond.h"

#include "common/base/array.h"
#include "common/base/buffer.h"
#include "common/base/texts.h"
#include "common/names/short_name.h"
#include "profile/profile/profile.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum side { OF_BASE, OF_PROFILE, SIDES };

struct key {
    uint32_t count[SIDES], first[SIDES]; /* number of functions on each side with this key */
    uint32_t become;                     /* for functions of the base: index in the profile; PROFILE_NONE: none */
};

/* Functions by a key: their file and their name. */
struct keys {
    struct texts texts;
    struct key *items; /* by the text's number */
    size_t room;
};

struct matching {
    struct profile *base;
    const struct profile *sides[SIDES];
    struct keys whole, left_over; /* by whole names; functions on one side only also by names without parameters */
    uint32_t *base_keys;          /* for each function of the base: its number in whole; PROFILE_NONE: not in a file */
};

/* Adds function NUMBER of SIDE. Returns the number of its key, or PROFILE_NONE if memory runs out. */
static uint32_t add_function(struct matching *matching, struct keys *keys, enum side side, uint32_t number)
{
    const struct profile *profile = matching->sides[side];
    const struct profile_function *function = &profile->functions[number];
    struct buffer text = {0};
    buffer_printf(&text, "%s\n", profile->modules[function->module].path);
    if (keys == &matching->whole)
        buffer_puts(&text, function->name);
    else
        short_name_put(&text, function->name, SHORT_NAME_ARGUMENTS);
    size_t before = keys->texts.count;
    bool room = array_reserve_((void **)&keys->items, &keys->room, before + 1, sizeof *keys->items);
    uint32_t key = room && !text.failed ? texts_add(&keys->texts, text.bytes) : HASH_NONE;
    buffer_fini(&text);
    if (key == HASH_NONE)
        return PROFILE_NONE;
    if (key == before)
        keys->items[key] = (struct key){.become = PROFILE_NONE};
    if (!keys->items[key].count[side]++)
        keys->items[key].first[side] = number;
    return key;
}

/* Adds the functions of SIDE that are in files, by their whole names. */
static bool add_side(struct matching *matching, enum side side)
{
    const struct profile *profile = matching->sides[side];
    for (uint32_t i = 0; i < profile->function_count; i++) {
        bool in_file = profile->modules[profile->functions[i].module].path[0] == '/';
        uint32_t key = in_file ? add_function(matching, &matching->whole, side, i) : PROFILE_NONE;
        if (in_file && key == PROFILE_NONE)
            return false;
        if (side == OF_BASE)
            matching->base_keys[i] = key;
    }
    return true;
}

static bool add_left_over(struct matching *matching)
{
    for (size_t i = 0; i < matching->whole.texts.count; i++) {
        const struct key *key = &matching->whole.items[i];
        enum side side = key->count[OF_BASE] ? OF_BASE : OF_PROFILE;
        if ((!key->count[OF_BASE] || !key->count[OF_PROFILE]) &&
            add_function(matching, &matching->left_over, side, key->first[side]) == PROFILE_NONE)
            return false;
    }
    return true;
}

static void pair(struct matching *matching)
{
    for (size_t i = 0; i < matching->left_over.texts.count; i++) {
        const struct key *key = &matching->left_over.items[i];
        if (key->count[OF_BASE] == 1 && key->count[OF_PROFILE] == 1)
            matching->whole.items[matching->base_keys[key->first[OF_BASE]]].become = key->first[OF_PROFILE];
    }
}

/* Gives FUNCTION the names of OTHER. */
static bool rename_function(struct profile_function *function, const struct profile_function *other)
{
    char *name = strdup(other->name), *linkage = other->linkage_name ? strdup(other->linkage_name) : NULL;
    if (!name || (other->linkage_name && !linkage)) {
        free(name);
        free(linkage);
        return false;
    }
    free(function->name);
    free(function->linkage_name);
    function->name = name;
    function->linkage_name = linkage;
    return true;
}

static bool rename_all(struct matching *matching)
{
    for (size_t i = 0; i < matching->base->function_count; i++) {
        uint32_t key = matching->base_keys[i];
        uint32_t become = key == PROFILE_NONE ? PROFILE_NONE : matching->whole.items[key].become;
        if (become != PROFILE_NONE &&
            !rename_function(&matching->base->functions[i], &matching->sides[OF_PROFILE]->functions[become]))
            return false;
    }
    return true;
}

static void keys_fini(struct keys *keys)
{
    texts_fini(&keys->texts);
    free(keys->items);
}

int correspond_functions(struct profile *base, const struct profile *profile)
{
    struct matching matching = {.base = base, .sides = {base, profile}};
    matching.base_keys = malloc((base->function_count + 1) * sizeof *matching.base_keys);
    bool done = matching.base_keys && add_side(&matching, OF_BASE) && add_side(&matching, OF_PROFILE) &&
                add_left_over(&matching);
    if (done) {
        pair(&matching);
        done = rename_all(&matching);
    }
    keys_fini(&matching.whole);
    keys_fini(&matching.left_over);
    free(matching.base_keys);
    return done ? 0 : -ENOMEM;
}
