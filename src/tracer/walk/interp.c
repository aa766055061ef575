/* SPDX-License-Identifier: MIT */
#include "tracer/walk/interp.h"

#include "common/arch/arch.h"
#include "common/arch/machine.h"
#include "common/base/hash.h"
#include "common/base/time.h"
#include "tracer/walk/interp_parts.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    GROUPS_MOST = 64,
    STATES_MOST = 4096, /* nodes of all groups that one search reads */
};

/* A thread's state is searched again after this time, because the thread may use another one since. Without a state, it
 * is searched sooner at first: a new thread gets its state a moment after its start. */
#define SEARCH_NS UINT64_C(100000000)
#define SEARCH_SOON_NS UINT64_C(1000000)

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

/* Returns true if the thread has made the state. */
static bool has_made(const struct interp_walk *walk)
{
    const struct recipe *recipe = walk->recipe;
    const struct interp_sample *sample = walk->sample;
    if (recipe->state_pointer != RECIPE_NONE && sample->thread_pointer)
        return sample->thread_pointer - interp_word(walk->state + recipe->state_pointer) <= ARCH_DESCRIPTOR_MOST;
    if (recipe->state_tid != RECIPE_NONE)
        return (pid_t)interp_word(walk->state + recipe->state_tid) == sample->tid;
    if (recipe->state_pointer != RECIPE_NONE && sample->descriptor)
        return sample->descriptor - interp_word(walk->state + recipe->state_pointer) < INTERP_DESCRIPTOR_SIZE;
    return recipe->state_pointer == RECIPE_NONE && sample->is_main;
}

enum { FOREIGN_READS_MOST = INTERP_READS_MOST / 4 };

/* Sets *ADDRESS to the first node of the state that its owner shows to be on a stack; 0 if there is none. Returns false
 * if that is unknown, because the stack is very deep or cannot be read. */
static bool find_node_on_stack(struct interp_walk *walk, uint64_t *address)
{
    const struct recipe *recipe = walk->recipe;
    unsigned char node[RECIPE_NODE_MOST];
    uint64_t at = interp_word(walk->state + recipe->path[0]);
    for (size_t i = 0; i < RECIPE_NODES_MOST && at; i++, at = interp_word(node + recipe->node_next)) {
        if (!interp_get(walk, at, INTERP_BELOW, node, recipe->node_size))
            return false;
        if (node[recipe->node_owner] >= recipe->node_owner_least) {
            *address = at;
            return true;
        }
    }
    *address = 0;
    return !at;
}

/* Returns true if ADDRESS can be on the thread's stack. */
static bool is_on_stack(const struct interp_walk *walk, uint64_t address)
{
    uint64_t sp = arch_sp(walk->sample->registers), end = walk->sample->stack_end;
    return end <= sp ? address != 0 : address - sp < end - sp;
}

/* Returns true if the thread runs the frames of the state: they are on its stack. If that cannot be known, the thread
 * that has made the state runs them. */
static bool runs_here(struct interp_walk *walk)
{
    const struct recipe *recipe = walk->recipe;
    uint64_t address;
    if (walk->sample->stack_end <= arch_sp(walk->sample->registers) ||
        (recipe->state_stack == RECIPE_NONE && recipe->node_owner == RECIPE_NONE))
        return has_made(walk);
    if (recipe->state_stack != RECIPE_NONE)
        address = interp_word(walk->state + recipe->state_stack);
    else if (!has_made(walk) && walk->reads > FOREIGN_READS_MOST)
        return false; /* of many threads, only the first ones are examined: others must still be found */
    else if (!find_node_on_stack(walk, &address))
        return has_made(walk);
    return is_on_stack(walk, address);
}

/* Returns true if the state that the walk has read is one of its thread. Another thread may have made it, and another
 * thread may run one that this thread has made: sets *RUNS if the thread runs its frames, if it has any. */
static bool is_own(struct interp_walk *walk, bool *runs)
{
    *runs = runs_here(walk);
    if (!*runs && !has_made(walk))
        return false;
    if (*runs || !walk->has_own) {
        walk->has_own = true;
        walk->own_address = walk->state_address;
        if (walk->recipe->state_group != RECIPE_NONE)
            walk->own_group = interp_word(walk->state + walk->recipe->state_group);
    }
    return true;
}

/* Reads the state at ADDRESS. */
static bool read_state(struct interp_walk *walk, uint64_t address)
{
    const struct recipe *recipe = walk->recipe;
    if (!interp_get(walk, address, 0, walk->state, recipe->state_size))
        return false;
    walk->state_address = address;
    return true;
}

/* If the thread is just linking a variable on its stack to the state, returns where the first node is; NULL if it is
 * not, or if that is unknown. */
static const struct recipe_place *find_place(const struct interp_walk *walk)
{
    const struct recipe *recipe = walk->recipe;
    const struct arch_registers *registers = walk->sample->registers;
    uint64_t pc = recipe->place_count ? arch_pc(registers) : 0;
    for (size_t i = 0; i < recipe->place_count; i++)
        if (pc - recipe->places[i].start < recipe->places[i].end - recipe->places[i].start &&
            interp_word(walk->state + recipe->path[0]) == arch_sp(registers) + (uint64_t)recipe->variable)
            return &recipe->places[i];
    return NULL;
}

/* Sets *FIRST to the first node, which PLACE locates. */
static bool read_place(struct interp_walk *walk, const struct recipe_place *place, uint64_t *first)
{
    unsigned char word[sizeof(uint64_t)];
    *first = arch_general(walk->sample->registers, place->number);
    if (place->is_stored && !interp_get(walk, *first + (uint64_t)place->offset, 0, word, sizeof word))
        return false;
    if (place->is_stored)
        *first = interp_word(word);
    walk->is_linking = true;
    return true;
}

/* Sets *FIRST to the first node, array or segment, or to 0 if the thread has no frames now. Returns false if a link
 * cannot be read. */
static bool read_path(struct interp_walk *walk, uint64_t *first)
{
    const struct recipe *recipe = walk->recipe;
    const struct recipe_place *place = find_place(walk);
    unsigned char word[sizeof(uint64_t)];
    if (place)
        return read_place(walk, place, first);
    *first = interp_word(walk->state + recipe->path[0]);
    for (size_t i = 1; i < recipe->path_count && *first; i++) {
        if (!interp_get(walk, *first + recipe->path[i], 0, word, sizeof word))
            return false;
        *first = interp_word(word);
    }
    return true;
}

/* Returns true if the thread runs frames of the state that was read, and sets *FIRST as read_path. */
static bool has_frames(struct interp_walk *walk, uint64_t *first)
{
    bool runs;
    return is_own(walk, &runs) && runs && read_path(walk, first) && *first;
}

/* Searches the states of GROUP for the one whose frames the thread runs. Sets *FIRST as read_path. */
static bool search_group(struct interp_walk *walk, uint64_t group, uint64_t *first)
{
    const struct recipe *recipe = walk->recipe;
    unsigned char word[sizeof(uint64_t)];
    uint64_t head = group + recipe->group_states;
    if (recipe->group_states == RECIPE_NONE)
        return read_state(walk, group) && has_frames(walk, first);
    if (!interp_get(walk, head, 0, word, sizeof word))
        return false;
    for (uint64_t link = interp_word(word); link && link != head && walk->states++ < STATES_MOST;
         link = interp_word(walk->state + recipe->state_next)) {
        if (!read_state(walk, link - recipe->state_link))
            return false;
        bool is_in = recipe->state_group == RECIPE_NONE || interp_word(walk->state + recipe->state_group) == group;
        if (is_in && has_frames(walk, first))
            return true;
    }
    return false;
}

enum { STATES_KEPT = sizeof((struct interp_states){0}.states) / sizeof(uint64_t) };

/* The states of a thread. It has one in each interpreter whose code it runs. */
struct states {
    uint64_t addresses[STATES_KEPT];
    uint64_t firsts[STATES_KEPT]; /* see read_path */
    uint64_t links[STATES_KEPT];  /* see put_links; 0: none */
    size_t count;
};

static void add_state(struct states *states, uint64_t address, uint64_t first, uint64_t link)
{
    if (states->count == STATES_KEPT)
        return;
    states->links[states->count] = link;
    states->addresses[states->count] = address;
    states->firsts[states->count++] = first;
}

/* Returns the newest evaluation's variable of the state that was read; 0: none. */
static uint64_t link_of(const struct interp_walk *walk)
{
    return walk->recipe->link_next == RECIPE_NONE ? 0 : interp_word(walk->state + walk->recipe->state_stack);
}

/* Searches the states of all groups for the thread's states with frames. The group that was created last comes
 * first. */
static void search(struct interp_walk *walk, struct states *states)
{
    const struct recipe *recipe = walk->recipe;
    unsigned char word[sizeof(uint64_t)];
    uint64_t at = recipe->begin, first = 0;
    states->count = 0;
    if (recipe->begin_is_state) {
        if (read_state(walk, at) && has_frames(walk, &first))
            add_state(states, at, first, link_of(walk));
        return;
    }
    for (size_t i = 0; i < GROUPS_MOST && interp_get(walk, at, 0, word, sizeof word); i++) {
        uint64_t group = interp_word(word);
        if (!group)
            return;
        if (search_group(walk, group, &first))
            add_state(states, walk->state_address, first, link_of(walk));
        if (recipe->group_next == RECIPE_NONE)
            return;
        at = group + recipe->group_next;
    }
}

/* Sets STATES to those known states that have frames now. Returns false if no known state belongs to the thread any
 * longer. */
static bool read_known(struct interp_walk *walk, struct states *states)
{
    const struct interp_states *thread = walk->known;
    bool is_known = false;
    states->count = 0;
    for (size_t i = 0; i < thread->state_count; i++) {
        uint64_t first;
        bool runs;
        if (!read_state(walk, thread->states[i]) || !is_own(walk, &runs))
            continue;
        is_known = true;
        if (runs && read_path(walk, &first) && first)
            add_state(states, thread->states[i], first, link_of(walk));
    }
    return is_known;
}

static bool has_state(const struct states *states, uint64_t address)
{
    bool has = false;
    for (size_t i = 0; i < states->count; i++)
        has |= states->addresses[i] == address;
    return has;
}

/* Stores STATES, and before them other known states, because the thread may use those again. */
static void keep_states(struct interp_states *thread, const struct states *states)
{
    struct states kept = {.count = 0};
    for (size_t i = 0; i < thread->state_count; i++)
        if (!has_state(states, thread->states[i]) && kept.count + states->count < STATES_KEPT)
            add_state(&kept, thread->states[i], 0, 0);
    for (size_t i = 0; i < states->count; i++)
        add_state(&kept, states->addresses[i], 0, 0);
    memcpy(thread->states, kept.addresses, sizeof thread->states);
    thread->state_count = (uint32_t)kept.count;
}

/* Sets the time until the next search. */
static void plan_search(struct interp_states *thread, uint64_t now_ns)
{
    uint64_t longer_ns = 2 * thread->wait_ns;
    thread->searched_ns = now_ns;
    if (thread->is_found || longer_ns > SEARCH_NS)
        thread->wait_ns = SEARCH_NS;
    else
        thread->wait_ns = longer_ns < SEARCH_SOON_NS ? SEARCH_SOON_NS : longer_ns;
}

/* Takes the states found last time, or searches all. Other threads change the lists at the same time, so a search can
 * fail although the thread has a state. */
static void find_states(struct interp_walk *walk, struct states *states)
{
    struct interp_states *thread = walk->known;
    uint64_t now_ns = walk->sample->now_ns;
    struct states found;
    states->count = 0;
    if (walk->recipe->main_only && !walk->sample->is_main)
        return;
    bool is_known = read_known(walk, states);
    if (thread->is_found && !is_known)
        thread->wait_ns = 0;
    bool is_only = walk->sample->waits && !states->count;
    if (thread->searched_ns && now_ns - thread->searched_ns < thread->wait_ns && !is_only)
        return;
    search(walk, &found);
    if (found.count && found.count >= states->count) {
        *states = found;
        keep_states(thread, &found);
    }
    thread->is_found = found.count || is_known;
    plan_search(thread, now_ns);
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
        if (count == LINKS_MOST || !is_on_stack(walk, link))
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
    find_states(walk, &states);
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
