/* SPDX-License-Identifier: MIT
 *
 * Checks that a recipe from the front is sound before it is used. */
#include "tracer/walk/interp.h"

#include "common/arch/machine.h"
#include "common/model/wait.h"
#include "tracer/walk/interp_parts.h"

static bool is_offset(uint16_t offset, uint16_t size)
{
    return offset == RECIPE_NONE || (size >= sizeof(uint64_t) && offset <= size - sizeof(uint64_t));
}

static bool is_sound_shape(const struct recipe *recipe, const struct recipe_shape *shape)
{
    if (!shape->size)
        return shape->pointer == RECIPE_NONE && recipe->state_object == RECIPE_NONE;
    bool sound = is_offset(shape->pointer, recipe->node_size) &&
                 (shape->when == RECIPE_NONE || shape->when < recipe->node_size) &&
                 is_offset(shape->type, shape->size) && shape->part_count <= RECIPE_PARTS_MOST &&
                 shape->size <= RECIPE_STATE_MOST && shape->check_size && shape->check_size <= INTERP_CHECK_MOST &&
                 is_offset(shape->check_pointer, shape->size) &&
                 (shape->check_pointer != RECIPE_NONE || shape->check + shape->check_size <= shape->size);
    for (size_t i = 0; sound && i < shape->part_count; i++) {
        const struct recipe_part *part = &shape->parts[i];
        sound = part->from <= i && part->count_from <= i + 1 && part->size <= RECIPE_STATE_MOST;
    }
    return sound;
}

static bool is_sound_lock(const struct recipe *recipe)
{
    if (recipe->lock_kind == RECIPE_NO_LOCK)
        return true;
    return recipe->lock_kind <= RECIPE_LOCK_QUEUE &&
           (recipe->lock_place == WAIT_GIL || recipe->lock_place == WAIT_GVL) &&
           (recipe->lock_kind == RECIPE_LOCK_AT || recipe->state_group != RECIPE_NONE);
}

bool interp_is_sound(const struct recipe *recipe)
{
    bool sound =
        is_sound_lock(recipe) && recipe->kind <= RECIPE_SEGMENTS && recipe->node_size >= sizeof(uint64_t) &&
        recipe->node_size <= RECIPE_NODE_MOST && is_offset(recipe->node_word, recipe->node_size) &&
        recipe->state_size >= sizeof(uint64_t) && recipe->state_size <= RECIPE_STATE_MOST && recipe->path_count >= 1 &&
        recipe->path_count <= RECIPE_PATH_MOST && is_offset(recipe->path[0], recipe->state_size) &&
        recipe->path[0] != RECIPE_NONE && is_offset(recipe->state_pointer, recipe->state_size) &&
        is_offset(recipe->state_tid, recipe->state_size) && is_offset(recipe->state_group, recipe->state_size) &&
        is_offset(recipe->state_object, recipe->state_size);
    if (sound && recipe->group_states != RECIPE_NONE)
        sound = is_offset(recipe->state_next, recipe->state_size) && recipe->state_next != RECIPE_NONE;
    if (sound && recipe->kind == RECIPE_LIST)
        sound = is_offset(recipe->node_next, recipe->node_size) && recipe->node_next != RECIPE_NONE;
    sound = sound && recipe->place_count <= RECIPE_PLACES_MOST;
    for (size_t i = 0; sound && i < recipe->place_count; i++)
        sound = recipe->places[i].number < ARCH_GENERAL;
    for (size_t i = 0; sound && i < RECIPE_SHAPES; i++)
        sound = is_sound_shape(recipe, &recipe->shapes[i]);
    return sound;
}
