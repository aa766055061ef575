/* SPDX-License-Identifier: MIT */
#include "elf/functions.h"

#include <stdlib.h>
#include <string.h>

enum { STARTUP_MOST = 64 }; /* bytes of the last function of startup, which does next to nothing */

static int compare_candidates(const void *a, const void *b)
{
    const struct elf_candidate *one = a, *other = b;
    if (one->start != other->start)
        return one->start < other->start ? -1 : 1;
    if (one->size != other->size)
        return one->size > other->size ? -1 : 1;
    return elf_alias_compare(&one->alias, &other->alias);
}

/* A symbol's size may be anything; no function reaches out of its section. */
static void limit_sizes(struct elf_candidates *candidates)
{
    for (size_t i = 0; i < candidates->count; i++) {
        struct elf_candidate *candidate = &candidates->items[i];
        if (candidate->size > candidate->limit - candidate->start)
            candidate->size = candidate->limit - candidate->start;
    }
}

/* Keeps of the sorted candidates those that say something that those before them do not. */
static void drop_redundant(struct elf_candidates *candidates)
{
    uint64_t covered = 0; /* sized ones seen so far reach up to here */
    size_t kept = 0;
    for (size_t i = 0; i < candidates->count; i++) {
        const struct elf_candidate *candidate = &candidates->items[i];
        const struct elf_candidate *last = kept ? &candidates->items[kept - 1] : NULL;

        if (last && last->start == candidate->start && last->size == candidate->size)
            continue;
        if (!candidate->size && candidate->start < covered)
            continue;
        if (candidate->start + candidate->size > covered)
            covered = candidate->start + candidate->size;
        candidates->items[kept++] = *candidate;
    }
    candidates->count = kept;
}

/* True if it is the last function of what the compiler links before a program's own code, which begins behind it. */
static bool is_last_of_startup(const struct elf_alias *alias)
{
    static const char name[] = "frame_dummy";
    return alias->length == sizeof name - 1 && !memcmp(alias->name, name, alias->length);
}

/* Gives the unsized ones a size: what has a range of its own in the unwind table is another function. */
static void find_ends(struct elf_candidates *candidates, const struct elf_ranges *ranges)
{
    for (size_t i = 0; i < candidates->count; i++) {
        struct elf_candidate *candidate = &candidates->items[i];
        uint64_t end = candidate->limit, range;

        if (candidate->size)
            continue;
        range = elf_ranges_next_start(ranges, candidate->start);
        if (range < end)
            end = range;
        if (i + 1 < candidates->count && candidates->items[i + 1].start < end)
            end = candidates->items[i + 1].start;
        if (is_last_of_startup(&candidate->alias) && end - candidate->start > STARTUP_MOST)
            end = candidate->start + STARTUP_MOST;
        candidate->size = end - candidate->start;
    }
}

void elf_functions_settle(struct elf_candidates *candidates, const struct elf_ranges *ranges)
{
    limit_sizes(candidates);
    if (candidates->count)
        qsort(candidates->items, candidates->count, sizeof *candidates->items, compare_candidates);
    drop_redundant(candidates);
    find_ends(candidates, ranges);
}
