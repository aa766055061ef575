/* SPDX-License-Identifier: MIT */
#include "tracer/walk/interp.h"

#include "common/arch/arch.h"
#include "common/base/time.h"
#include "tracer/walk/interp_parts.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct interp *interp_add(struct interp *interp, const struct recipe *recipe)
{
    struct interp **at = &interp;
    size_t count = 0;
    for (; *at; at = &(*at)->next, count++)
        if ((*at)->recipe.runtime == recipe->runtime)
            return interp;
    if (count < RECIPES_MOST && (*at = calloc(1, sizeof **at)) != NULL)
        (*at)->recipe = *recipe;
    return interp;
}

struct interp *interp_copy(const struct interp *interp)
{
    struct interp *copy = NULL, *added;
    for (; interp; interp = interp->next) {
        copy = interp_add(copy, &interp->recipe);
        for (added = copy; added && added->recipe.runtime != interp->recipe.runtime;)
            added = added->next;
        if (added)
            interp_objects_copy(&added->objects, &interp->objects);
    }
    return copy;
}

void interp_free(struct interp *interp)
{
    while (interp) {
        struct interp *next = interp->next;
        interp_objects_fini(&interp->objects);
        free(interp);
        interp = next;
    }
}

/* Appends the extra word of the last node, if nodes have one. */
static void add_word(struct interp_walk *walk)
{
    struct interp_stack *stack = walk->stack;
    uint64_t word = 0;
    if (walk->recipe->node_word == RECIPE_NONE)
        return;
    interp_get(walk, interp_word(walk->last + walk->recipe->node_word), 0, &word, sizeof word);
    memcpy(stack->bytes + stack->size, &word, sizeof word);
    stack->size += sizeof word;
}

/* Puts the instruction that a register has into the first node, see struct recipe_instruction. */
static void put_instruction(struct interp_walk *walk)
{
    const struct recipe_instruction *at = &walk->recipe->instruction;
    unsigned char start[sizeof(uint64_t)], count[sizeof(uint32_t)];
    uint64_t object = at->size ? interp_word(walk->last + at->object) : 0, instruction;
    uint32_t instructions;
    if (!object || !interp_get(walk, object + at->start, 0, start, sizeof start) ||
        !interp_get(walk, object + at->count, 0, count, sizeof count))
        return;
    memcpy(&instructions, count, sizeof instructions);
    instruction = arch_general(walk->sample->registers, at->number);
    uint64_t offset = instruction - interp_word(start);
    if (offset / at->size < instructions && offset % at->size == 0)
        memcpy(walk->last + at->node, &instruction, sizeof instruction);
}

/* Appends the node at ADDRESS. */
static enum recipe_end add_node(struct interp_walk *walk, uint64_t address)
{
    struct interp_stack *stack = walk->stack;
    size_t size = walk->recipe->node_size;
    struct recipe_node node = {.address = address};
    if (walk->count == RECIPE_NODES_MOST)
        return RECIPE_CUT;
    walk->last = stack->bytes + stack->size + sizeof node;
    if (!interp_get(walk, address, INTERP_BELOW, walk->last, size))
        return walk->is_over ? RECIPE_CUT : RECIPE_BROKEN;
    memcpy(stack->bytes + stack->size, &node, sizeof node);
    stack->size += sizeof node + size;
    if (!walk->count)
        put_instruction(walk);
    add_word(walk);
    walk->count++;
    return RECIPE_WHOLE;
}

static enum recipe_end add_list(struct interp_walk *walk, uint64_t first)
{
    enum recipe_end end = RECIPE_WHOLE;
    for (uint64_t at = first; at && end == RECIPE_WHOLE; at = interp_word(walk->last + walk->recipe->node_next))
        end = add_node(walk, at);
    return end;
}

static bool read_head(struct interp_walk *walk, uint64_t head, uint16_t offset, void *bytes, size_t size)
{
    return interp_get(walk, head + offset, 0, bytes, size);
}

static enum recipe_end add_array(struct interp_walk *walk, uint64_t head)
{
    const struct recipe *recipe = walk->recipe;
    unsigned char words[3][sizeof(uint64_t)];
    enum recipe_end end = RECIPE_WHOLE;
    if (!read_head(walk, head, recipe->array_first, words[0], sizeof words[0]) ||
        !read_head(walk, head, recipe->array_base, words[1], sizeof words[1]) ||
        !read_head(walk, head, recipe->array_count, words[2], sizeof words[2]))
        return RECIPE_BROKEN;
    uint64_t at = interp_word(words[0]), base = interp_word(words[1]);
    uint64_t until = base + interp_word(words[2]) * recipe->array_scale - recipe->array_tail;
    if (at < base || at > until)
        return RECIPE_BROKEN;
    for (; end == RECIPE_WHOLE && until - at >= recipe->node_size; at += recipe->node_size)
        end = add_node(walk, at);
    return end;
}

static enum recipe_end add_segments(struct interp_walk *walk, uint64_t head)
{
    const struct recipe *recipe = walk->recipe;
    unsigned char words[3][sizeof(uint64_t)];
    enum recipe_end end = RECIPE_WHOLE;
    for (size_t i = 0; head && end == RECIPE_WHOLE; i++) {
        int32_t number;
        if (i == RECIPE_NODES_MOST)
            return RECIPE_CUT;
        if (!read_head(walk, head, recipe->array_first, words[0], sizeof words[0]) ||
            !read_head(walk, head, recipe->array_count, words[1], sizeof number) ||
            !read_head(walk, head, recipe->segment_next, words[2], sizeof words[2]))
            return RECIPE_BROKEN;
        memcpy(&number, words[1], sizeof number);
        for (; number >= 0 && end == RECIPE_WHOLE; number--)
            end = add_node(walk, interp_word(words[0]) + (uint64_t)number * recipe->node_size);
        head = interp_word(words[2]);
    }
    return end;
}

static enum recipe_end add_nodes(struct interp_walk *walk, uint64_t first)
{
    switch (walk->recipe->kind) {
    case RECIPE_LIST:
        return add_list(walk, first);
    case RECIPE_ARRAY:
        return add_array(walk, first);
    default:
        return add_segments(walk, first);
    }
}

/* Sets the stack addresses of those nodes, from number FROM on, with which an evaluation was entered. Each evaluation
 * has a variable, which leads to its caller's. The newest one is at LINK. If there are not enough for all, none is
 * used: one evaluation has removed its variable, but not yet its node. */
static void put_links(struct interp_walk *walk, size_t from, uint64_t link)
{
    enum { LINKS_MOST = 64 };
    const struct recipe *recipe = walk->recipe;
    uint64_t links[LINKS_MOST];
    unsigned char *entries[LINKS_MOST];
    size_t step = sizeof(struct recipe_node) + recipe_stored(recipe), count = 0;
    unsigned char *at = interp_nodes(walk) + from * step;
    for (size_t i = from; i < walk->count; i++, at += step) {
        if (recipe->node_entry != RECIPE_NONE && !at[sizeof(struct recipe_node) + recipe->node_entry])
            continue;
        if (count == LINKS_MOST || !interp_is_on_stack(walk, link))
            return;
        entries[count] = at + offsetof(struct recipe_node, stack);
        links[count++] = link;
        if (!interp_get(walk, link + recipe->link_next, 0, &link, sizeof link))
            link = 0;
    }
    for (size_t i = 0; i < count; i++)
        memcpy(entries[i], &links[i], sizeof links[i]);
}

/* Appends the nodes of STATES. */
static enum recipe_end add_states(struct interp_walk *walk, const struct states *states)
{
    enum recipe_end end = states->count ? RECIPE_WHOLE : RECIPE_NO_STATE;
    for (size_t i = 0; i < states->count && end == RECIPE_WHOLE; i++) {
        uint64_t link = states->links[i];
        size_t from = walk->count;
        end = add_nodes(walk, states->firsts[i]);
        /* the evaluation at the leaf has no node yet, see struct recipe_stack */
        if (link && walk->is_linking && !i && !interp_get(walk, link + walk->recipe->link_next, 0, &link, sizeof link))
            link = 0;
        if (link)
            put_links(walk, from, link);
    }
    return end;
}

/* Appends the stack that INTERP's recipe finds. */
static void add_stack(struct interp *interp, struct interp_walk *walk, struct emitter *emitter)
{
    struct interp_stack *stack = walk->stack;
    struct recipe_stack about = {.runtime = interp->recipe.runtime, .node_size = recipe_stored(&interp->recipe)};
    struct states states;
    walk->recipe = &interp->recipe;
    walk->is_over = walk->is_linking = walk->has_own = false;
    walk->reads = walk->states = walk->count = 0;
    walk->begin = stack->size;
    stack->size += sizeof about;
    interp_find_states(walk, &states);
    about.end = add_states(walk, &states);
    about.count = (uint32_t)walk->count;
    about.is_linking = walk->is_linking;
    memcpy(stack->bytes + walk->begin, &about, sizeof about);
    if (interp_waits_for_lock(walk)) {
        stack->lock_place = interp->recipe.lock_place;
        stack->holder = interp_lock_holder(walk);
    }
    walk->is_over = false;
    if (about.end != RECIPE_NO_STATE)
        interp_objects_find(&interp->objects, walk, emitter);
}

void interp_read_stack(struct interp *interp, const struct interp_sample *sample, struct emitter *emitter,
                       struct interp_stack *stack)
{
    static struct interp_walk walk; /* static because it is large; only one thread traces */
    walk.sample = sample;
    walk.stack = stack;
    walk.until_ns = time_now_ns() + INTERP_MOST_NS;
    walk.until_cpu_ns = 0;
    interp_begin_pages(&walk);
    stack->size = 0;
    stack->lock_place = -1;
    stack->holder = 0;
    for (walk.known = sample->thread->of; interp; interp = interp->next, walk.known++)
        add_stack(interp, &walk, emitter);
    interp_keep_pages(&walk);
}
