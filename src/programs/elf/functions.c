/* SPDX-License-Identifier: MIT */
#include "programs/elf/functions.h"

#include "common/arch/decode.h"
#include "common/base/hash.h"
#include "common/names/suffix.h"
#include "programs/elf/alias.h"
#include "programs/elf/file.h"
#include "programs/elf/ranges.h"
#include "programs/elf/table.h"

#include <stdlib.h>
#include <string.h>

enum { CODE_MOST = 8192 }; /* bytes searched for the end of a function */

static int compare_candidates(const void *a, const void *b)
{
    const struct elf_candidate *one = a, *other = b;
    if (one->start != other->start)
        return one->start < other->start ? -1 : 1;
    if (one->size != other->size)
        return one->size > other->size ? -1 : 1;
    return elf_alias_compare(&one->alias, &other->alias);
}

/* A symbol may claim any size, but no function extends beyond its section. */
static void limit_sizes(struct elf_candidates *candidates)
{
    for (size_t i = 0; i < candidates->count; i++) {
        struct elf_candidate *candidate = &candidates->items[i];
        if (candidate->size > candidate->limit - candidate->start)
            candidate->size = candidate->limit - candidate->start;
    }
}

/* Returns true if LABEL is inside BEFORE, an assembler function without a size. Assemblers like nasm name the label
 * "FUNCTION.LABEL". */
static bool is_label_in(const struct elf_candidate *label, const struct elf_candidate *before)
{
    size_t length = before->alias.length;
    return !before->size && !label->size && label->alias.type == STT_NOTYPE && label->alias.binding == STB_LOCAL &&
           label->limit == before->limit && label->alias.length > length && label->alias.name[length] == '.' &&
           !memcmp(label->alias.name, before->alias.name, length);
}

/* Drops sorted candidates that add nothing to the candidates before them. */
static void drop_redundant(struct elf_candidates *candidates)
{
    uint64_t covered = 0; /* end of the candidates so far that have a size */
    size_t kept = 0;
    for (size_t i = 0; i < candidates->count; i++) {
        const struct elf_candidate *candidate = &candidates->items[i];
        const struct elf_candidate *last = kept ? &candidates->items[kept - 1] : NULL;

        if (last && last->start == candidate->start && last->size == candidate->size)
            continue;
        if ((!candidate->size && candidate->start < covered) || (last && is_label_in(candidate, last)))
            continue;
        if (candidate->start + candidate->size > covered)
            covered = candidate->start + candidate->size;
        candidates->items[kept++] = *candidate;
    }
    candidates->count = kept;
}

/* Returns where the code of CANDIDATE ends, at most END. Code after that belongs to another function, without a symbol.
 * *REACH: the furthest branch target so far. */
static uint64_t find_end_of_code(const struct elf_file *file, const struct elf_candidate *candidate, uint64_t end,
                                 uint64_t *reach)
{
    uint8_t code[CODE_MOST];
    uint64_t size = end - candidate->start;
    uint64_t offset = *reach > candidate->start ? *reach - candidate->start : 0;
    if (size > sizeof code)
        size = sizeof code;
    if (elf_file_read(file, candidate->start, code, (size_t)size) < 0)
        return end;
    size_t found = arch_code_end(code, (size_t)size, elf_file_is_compat(file), &offset);
    if (candidate->start + offset > *reach)
        *reach = candidate->start + offset;
    return found < size ? candidate->start + found : end;
}

/* Sets the sizes of candidates without one. Code with a range of its own in the unwind table is another function. */
static void find_ends(struct elf_candidates *candidates, const struct elf_ranges *ranges, const struct elf_file *file)
{
    uint64_t reach = 0;
    for (size_t i = 0; i < candidates->count; i++) {
        struct elf_candidate *candidate = &candidates->items[i];
        if (candidate->size)
            continue;
        uint64_t end = candidate->limit, next = elf_ranges_next_start(ranges, candidate->start), code;
        const struct elf_range *own = elf_ranges_find(ranges, candidate->start);
        if (next < end)
            end = next;
        if (i + 1 < candidates->count && candidates->items[i + 1].start < end)
            end = candidates->items[i + 1].start;
        code = file ? find_end_of_code(file, candidate, end, &reach) : end;
        if (own && own->end > code)
            code = own->end;
        candidate->size = (code < end ? code : end) - candidate->start;
    }
}

/* The functions that have parts. */
struct wholes {
    struct whole {
        const char *name;
        size_t length;
        uint64_t start; /* 0: not found, or several have this name */
        bool several;
    } * items;
    size_t count, room;
    struct hash index;
};

static bool is_whole(const void *owner, uint32_t number, const void *key)
{
    const struct whole *whole = &((const struct wholes *)owner)->items[number], *wanted = key;
    return whole->length == wanted->length && !memcmp(whole->name, wanted->name, whole->length);
}

/* Returns the length of the name without the suffixes of a part. */
static size_t length_of_whole(const struct elf_alias *alias)
{
    size_t length = alias->length, shorter;
    enum suffix kind;
    while ((shorter = suffix_begin(alias->name, length, &kind)) < length && kind == SUFFIX_PART)
        length = shorter;
    return length;
}

/* Enters CANDIDATE as a whole, if it has parts. */
static void find_whole(struct wholes *wholes, const struct elf_candidate *candidate)
{
    const struct whole like = {.name = candidate->alias.name, .length = candidate->alias.length};
    uint32_t number = hash_find(&wholes->index, hash_bytes(like.name, like.length), is_whole, wholes, &like);
    struct whole *whole = number == HASH_NONE ? NULL : &wholes->items[number];
    if (!whole)
        return;
    whole->several |= whole->start && whole->start != candidate->start;
    whole->start = candidate->start;
}

/* Finds the functions that the parts belong to, by all of their names: only one of these names is kept. */
static void find_wholes(struct elf_candidates *candidates)
{
    struct wholes wholes = {0};
    for (size_t i = 0; i < candidates->count; i++) {
        struct elf_candidate *candidate = &candidates->items[i];
        const struct whole like = {.name = candidate->alias.name, .length = length_of_whole(&candidate->alias)};
        candidate->suffix = like.length;
        if (like.length < candidate->alias.length)
            HASH_INTERN(&wholes, hash_bytes(like.name, like.length), is_whole, &wholes, &like);
    }
    for (size_t i = 0; i < candidates->count && wholes.count; i++)
        find_whole(&wholes, &candidates->items[i]);
    for (size_t i = 0; i < candidates->count && wholes.count; i++) {
        struct elf_candidate *candidate = &candidates->items[i];
        const struct whole like = {.name = candidate->alias.name, .length = candidate->suffix};
        uint32_t number = like.length == candidate->alias.length
                              ? HASH_NONE
                              : hash_find(&wholes.index, hash_bytes(like.name, like.length), is_whole, &wholes, &like);
        if (number != HASH_NONE && !wholes.items[number].several)
            candidate->whole = wholes.items[number].start;
    }
    free(wholes.items);
    hash_fini(&wholes.index);
}

void elf_functions_settle(struct elf_candidates *candidates, const struct elf_ranges *ranges,
                          const struct elf_file *file)
{
    limit_sizes(candidates);
    if (candidates->count)
        qsort(candidates->items, candidates->count, sizeof *candidates->items, compare_candidates);
    find_wholes(candidates);
    drop_redundant(candidates);
    find_ends(candidates, ranges, file);
}
