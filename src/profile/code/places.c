/* SPDX-License-Identifier: MIT
 *
 * Names and lines of addresses in a file, from another process. */
#include "common/base/search.h"
#include "profile/code/code.h"
#include "profile/code/code_parts.h"
#include "profile/code/origin.h"
#include "profile/profile/profile.h"
#include "programs/elf/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_number(const void *one, const void *other)
{
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return (a > b) - (a < b);
}

/* Sorts the COUNT ADDRESSES, and keeps each once, if it is in the file. Returns how many these are. */
static size_t keep_known(uint64_t *addresses, size_t count, const struct elf_file *file)
{
    size_t kept = 0;
    uint64_t offset;
    if (count)
        qsort(addresses, count, sizeof *addresses, by_number);
    for (size_t i = 0; i < count; i++)
        if ((!kept || addresses[kept - 1] != addresses[i]) && elf_file_offset_of_vaddr(file, addresses[i], &offset))
            addresses[kept++] = addresses[i];
    return kept;
}

/* The other process has offsets in rising order, and addresses of a file may be in another one. */
struct pair {
    uint64_t offset;
    size_t number;
};

static int by_offset(const void *one, const void *other)
{
    const struct pair *a = one, *b = other;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

static bool find_all(struct code_places *places, const struct code_names *names, const struct origin *origin)
{
    size_t count = places->count;
    struct pair *pairs = malloc((count + 1) * sizeof *pairs);
    uint64_t *offsets = malloc((count + 1) * sizeof *offsets);
    uint32_t *locations = malloc((count + 1) * sizeof *locations);
    bool whole = pairs && offsets && locations;
    for (size_t i = 0; whole && i < count; i++) {
        pairs[i].number = i;
        elf_file_offset_of_vaddr(origin->file, places->addresses[i], &pairs[i].offset);
    }
    if (whole) {
        qsort(pairs, count, sizeof *pairs, by_offset);
        for (size_t i = 0; i < count; i++)
            offsets[i] = pairs[i].offset;
        places->profile = names->find(names->of, origin, offsets, count, locations, &places->no_lines);
        for (size_t i = 0; places->profile && i < count; i++)
            places->locations[pairs[i].number] = locations[i];
    }
    free(pairs);
    free(offsets);
    free(locations);
    return whole;
}

bool code_places_find(struct code_places *places, const struct code_names *names, const struct origin *origin,
                      const uint64_t *addresses, size_t count)
{
    places->addresses = malloc((count + 1) * sizeof *places->addresses);
    places->locations = malloc((count + 1) * sizeof *places->locations);
    if (!places->addresses || !places->locations)
        return false;
    if (count)
        memcpy(places->addresses, addresses, count * sizeof *addresses);
    places->count = keep_known(places->addresses, count, origin->file);
    return !places->count || find_all(places, names, origin);
}

void code_places_fini(struct code_places *places)
{
    profile_free(places->profile);
    free(places->addresses);
    free(places->locations);
    *places = (struct code_places){0};
}

const struct profile_location *code_places_at(const struct code_places *places, uint64_t address)
{
    for (size_t low = 0, high = places->profile ? places->count : 0; low < high;) {
        size_t middle = low + (high - low) / 2;
        if (places->addresses[middle] == address)
            return &places->profile->locations[places->locations[middle]];
        if (places->addresses[middle] < address)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* A function without a symbol has the name of its module, and its beginning. */
static bool is_range(const struct profile_function *function)
{
    char end[32];
    snprintf(end, sizeof end, "+0x%llx", (unsigned long long)function->start);
    size_t length = strlen(function->name), size = strlen(end);
    return !function->linkage_name && length > size && !strcmp(function->name + length - size, end);
}

const struct profile_function *code_places_symbol(const struct code_places *places, uint64_t address)
{
    const struct profile_location *location = code_places_at(places, address);
    const struct profile_function *function = location ? &places->profile->functions[location->function] : NULL;
    return function && function->end > function->start && !is_range(function) ? function : NULL;
}
