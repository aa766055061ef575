/* SPDX-License-Identifier: MIT
 *
 * Checks that a recipe from the front is sound before it is used. */
#include "tracer/walk/interp.h"

#include "common/arch/machine.h"
#include "common/model/wait.h"
#include "tracer/walk/interp_parts.h"

#include <stddef.h>
#include <string.h>

static bool is_offset(uint16_t offset, uint16_t size)
{
    return offset == RECIPE_NONE || (size >= sizeof(uint64_t) && offset <= size - sizeof(uint64_t));
}

static bool has_sound_check(const struct recipe_shape *shape)
{
    if (!shape->check_size || shape->check_size > INTERP_CHECK_MOST)
        return false;
    if (shape->check_pointer != RECIPE_NONE)
        return is_offset(shape->check_pointer, shape->size);
    return shape->check + shape->check_size <= shape->size;
}

static bool has_sound_parts(const struct recipe_shape *shape)
{
    bool sound = shape->part_count <= RECIPE_PARTS_MOST;
    for (size_t i = 0; sound && i < shape->part_count; i++) {
        const struct recipe_part *part = &shape->parts[i];
        sound = part->from <= i && part->count_from <= i + 1 && part->size <= RECIPE_STATE_MOST;
    }
    return sound;
}

static bool is_sound_shape(const struct recipe *recipe, const struct recipe_shape *shape)
{
    if (!shape->size)
        return shape->pointer == RECIPE_NONE && recipe->state_object == RECIPE_NONE;
    return shape->size <= RECIPE_STATE_MOST && is_offset(shape->pointer, recipe->node_size) &&
           (shape->when == RECIPE_NONE || shape->when < recipe->node_size) && is_offset(shape->type, shape->size) &&
           has_sound_check(shape) && has_sound_parts(shape);
}

static bool is_sound_lock(const struct recipe *recipe)
{
    if (recipe->lock_kind == RECIPE_NO_LOCK)
        return true;
    return recipe->lock_kind <= RECIPE_LOCK_QUEUE &&
           (recipe->lock_place == WAIT_GIL || recipe->lock_place == WAIT_GVL) &&
           (recipe->lock_kind == RECIPE_LOCK_AT || recipe->state_group != RECIPE_NONE);
}

static uint16_t value_at(const struct recipe *recipe, size_t member)
{
    uint16_t value;
    memcpy(&value, (const unsigned char *)recipe + member, sizeof value);
    return value;
}

#define MEMBER(name) offsetof(struct recipe, name)

static bool has_sound_sizes(const struct recipe *recipe)
{
    static const struct {
        size_t member;
        uint16_t least, most;
    } limits[] = {
        {MEMBER(node_size), sizeof(uint64_t), RECIPE_NODE_MOST},
        {MEMBER(state_size), sizeof(uint64_t), RECIPE_STATE_MOST},
        {MEMBER(path_count), 1, RECIPE_PATH_MOST},
    };
    bool sound = true;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        uint16_t value = value_at(recipe, limits[i].member);
        sound &= value >= limits[i].least && value <= limits[i].most;
    }
    return sound;
}

/* Returns true if a word at each offset is within its node or state. */
static bool has_sound_offsets(const struct recipe *recipe)
{
    static const struct {
        size_t member, size; /* of struct recipe: the offset, and the size of what it is an offset in */
    } limits[] = {
        {MEMBER(node_word), MEMBER(node_size)},    {MEMBER(path[0]), MEMBER(state_size)},
        {MEMBER(state_tid), MEMBER(state_size)},   {MEMBER(state_pointer), MEMBER(state_size)},
        {MEMBER(state_group), MEMBER(state_size)}, {MEMBER(state_object), MEMBER(state_size)},
        {MEMBER(state_stack), MEMBER(state_size)},
    };
    bool sound = recipe->path[0] != RECIPE_NONE;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        sound &= is_offset(value_at(recipe, limits[i].member), value_at(recipe, limits[i].size));
    return sound;
}

/* Returns true if the links between states and between nodes exist where they are followed. */
static bool has_sound_links(const struct recipe *recipe)
{
    bool has_next_state = recipe->state_next != RECIPE_NONE && is_offset(recipe->state_next, recipe->state_size);
    bool has_next_node = recipe->node_next != RECIPE_NONE && is_offset(recipe->node_next, recipe->node_size);
    bool has_evaluations = recipe->link_next == RECIPE_NONE ||
                           (recipe->state_stack != RECIPE_NONE &&
                            (recipe->node_entry == RECIPE_NONE || recipe->node_entry < recipe->node_size));
    bool has_owner = recipe->node_owner == RECIPE_NONE || (recipe->node_owner < recipe->node_size && has_next_node);
    return (recipe->group_states == RECIPE_NONE || has_next_state) && (recipe->kind != RECIPE_LIST || has_next_node) &&
           has_owner && has_evaluations;
}

static bool has_sound_instruction(const struct recipe *recipe)
{
    const struct recipe_instruction *at = &recipe->instruction;
    return !at->size || (at->number < ARCH_GENERAL && at->node != RECIPE_NONE && at->object != RECIPE_NONE &&
                         is_offset(at->node, recipe->node_size) && is_offset(at->object, recipe->node_size));
}

bool interp_is_sound(const struct recipe *recipe)
{
    bool sound = recipe->kind <= RECIPE_SEGMENTS && has_sound_sizes(recipe) && has_sound_offsets(recipe) &&
                 has_sound_links(recipe) && is_sound_lock(recipe) && recipe->place_count <= RECIPE_PLACES_MOST &&
                 has_sound_instruction(recipe);
    for (size_t i = 0; sound && i < recipe->place_count; i++)
        sound = recipe->places[i].number < ARCH_GENERAL;
    for (size_t i = 0; sound && i < RECIPE_SHAPES; i++)
        sound = is_sound_shape(recipe, &recipe->shapes[i]);
    return sound;
}
