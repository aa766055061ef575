/* SPDX-License-Identifier: MIT
 *
 * Finds out whether a thread waits for the interpreter's lock. */
#include "tracer/walk/interp_parts.h"

enum { QUEUE_MOST = 1024 }; /* links that are followed at most */

static bool read_word(struct interp_walk *walk, uint64_t address, uint64_t *word)
{
    return interp_get(walk, address, 0, word, sizeof *word);
}

/* Returns true if the thread is in the queue of threads that wait for the lock. Other threads run: if the queue changes
 * while it is read, the thread may not be found. */
static bool is_queued(struct interp_walk *walk, uint64_t group)
{
    const struct recipe *recipe = walk->recipe;
    uint64_t own = walk->own_address + recipe->lock_link, at = own, head = group + recipe->lock;
    for (int i = 0; i < QUEUE_MOST && read_word(walk, at, &at) && at && at != own; i++)
        if (at == head)
            return true;
    return false;
}

bool interp_waits_for_lock(struct interp_walk *walk)
{
    const struct recipe *recipe = walk->recipe;
    uint64_t futex = walk->sample->futex, lock = recipe->lock, group = walk->own_group;
    if (!futex || recipe->lock_kind == RECIPE_NO_LOCK)
        return false;
    if (recipe->lock_kind == RECIPE_LOCK_AT)
        return futex - lock < recipe->lock_size;
    if (!walk->has_own)
        return false;
    if (recipe->lock_kind == RECIPE_LOCK_QUEUE)
        return is_queued(walk, group);
    return read_word(walk, group + recipe->lock, &lock) && lock && futex - lock < recipe->lock_size;
}

/* The holder may change at any time, also while it is read. */
uint64_t interp_lock_holder(struct interp_walk *walk)
{
    const struct recipe *recipe = walk->recipe;
    uint64_t lock = recipe->lock, state = 0, pointer = 0, held = 1;
    if (!recipe->lock_holder || recipe->state_pointer == RECIPE_NONE)
        return 0;
    if (recipe->lock_kind == RECIPE_LOCK_QUEUE)
        lock += walk->own_group;
    else if (recipe->lock_kind == RECIPE_LOCK_OF_GROUP && !read_word(walk, walk->own_group + recipe->lock, &lock))
        return 0;
    if (recipe->lock_held && !read_word(walk, lock + (uint64_t)(int64_t)recipe->lock_held, &held))
        return 0;
    if (!(uint32_t)held || !read_word(walk, lock + (uint64_t)(int64_t)recipe->lock_holder, &state) || !state)
        return 0;
    return read_word(walk, state + recipe->state_pointer, &pointer) ? pointer : 0;
}
