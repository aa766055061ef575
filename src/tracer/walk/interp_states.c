/* SPDX-License-Identifier: MIT
 *
 * Finds the states of a thread: which of the interpreter's states has the frames that the thread runs. */
#include "tracer/walk/interp_parts.h"

#include "common/arch/arch.h"
#include "common/arch/machine.h"

enum {
    GROUPS_MOST = 64,
    STATES_MOST = 4096, /* nodes of all groups that one search reads */
};

/* A thread's state is searched again after this time, because the thread may use another one since. Without a state, it
 * is searched sooner at first: a new thread gets its state a moment after its start. */
#define SEARCH_NS UINT64_C(100000000)
#define SEARCH_SOON_NS UINT64_C(1000000)

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

bool interp_is_on_stack(const struct interp_walk *walk, uint64_t address)
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
    return interp_is_on_stack(walk, address);
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

void interp_find_states(struct interp_walk *walk, struct states *states)
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
