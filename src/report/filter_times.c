/* SPDX-License-Identifier: MIT */
#include "report/filter_times.h"

#include <errno.h>
#include <stdlib.h>

static int by_begin(const void *one, const void *other)
{
    const struct filter_stretch *a = one, *b = other;
    return a->from_ns < b->from_ns ? -1 : a->from_ns > b->from_ns;
}

/* Makes ITEMS, COUNT of them, stretches in their order that do not touch each other. Returns how many these are. */
static size_t make_apart(struct filter_stretch *items, size_t count)
{
    size_t kept = 0;
    qsort(items, count, sizeof *items, by_begin);
    for (size_t i = 1; i < count; i++)
        if (items[i].from_ns > items[kept].to_ns)
            items[++kept] = items[i];
        else if (items[i].to_ns > items[kept].to_ns)
            items[kept].to_ns = items[i].to_ns;
    return kept + 1;
}

static uint64_t share(uint64_t value, uint64_t part, uint64_t whole)
{
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)((wide)value * part / whole);
}

/* Sets *PART to what of INSTANT is in STRETCH. False if that is nothing. */
static bool cut(const struct instant *instant, const struct filter_stretch *stretch, struct instant *part)
{
    uint64_t began_ns = instant_began_ns(instant), ended_ns = instant->time_ns;
    *part = *instant;
    if (began_ns == ended_ns)
        return ended_ns >= stretch->from_ns && ended_ns < stretch->to_ns;
    uint64_t from_ns = began_ns > stretch->from_ns ? began_ns : stretch->from_ns;
    uint64_t to_ns = ended_ns < stretch->to_ns ? ended_ns : stretch->to_ns;
    if (from_ns >= to_ns)
        return false;
    part->time_ns = to_ns;
    part->count = share(instant->count, to_ns - from_ns, ended_ns - began_ns);
    part->wait_ns = share(instant->wait_ns, to_ns - from_ns, ended_ns - began_ns);
    return true;
}

static void add_part(struct profile *profile, struct instants *kept, const struct instant *part)
{
    struct profile_sample *sample = &profile->samples[part->sample];
    sample->count += part->count;
    sample->cpu_ns += part->cpu_ns;
    sample->wait_ns += part->wait_ns;
    instants_add(kept, part);
}

/* Takes what there was before from PROFILE and gives it KEPT. */
static void replace(struct profile *profile, struct instants *kept)
{
    if (profile->instants.until_ns)
        instants_lack(kept, profile->instants.until_ns);
    instants_free(&profile->instants);
    profile->instants = *kept;
}

bool filter_times_cut(const struct filter_stretches *stretches, struct profile *profile)
{
    struct filter_stretch *items = calloc(stretches->count + 1, sizeof *items);
    struct instants_reader reader;
    struct instants kept = {.count = 0};
    struct instant instant, part;
    if (!items || !stretches->count) {
        free(items);
        return items != NULL;
    }
    for (size_t i = 0; i < stretches->count; i++)
        items[i] = stretches->items[i];
    size_t count = make_apart(items, stretches->count);
    for (size_t i = 0; i < profile->sample_count; i++)
        profile->samples[i].count = profile->samples[i].cpu_ns = profile->samples[i].wait_ns = 0;
    instants_read(&reader, &profile->instants);
    while (instants_next(&reader, &instant))
        for (size_t i = 0; i < count; i++)
            if (cut(&instant, &items[i], &part))
                add_part(profile, &kept, &part);
    free(items);
    replace(profile, &kept);
    return true;
}

void filter_times_move(struct profile *profile, const uint32_t *places)
{
    struct instants_reader reader;
    struct instants kept = {.count = 0};
    struct instant instant;
    instants_read(&reader, &profile->instants);
    while (instants_next(&reader, &instant)) {
        instant.sample = places[instant.sample];
        if (instant.sample != PROFILE_NONE)
            instants_add(&kept, &instant);
    }
    replace(profile, &kept);
}

int filter_check(const struct filter *filter, const struct profile *profile, struct error *error)
{
    uint64_t until_ns = profile->instants.until_ns;
    if (!filter->between.count)
        return 0;
    if (profile->sample_count && !profile->instants.count)
        return error_set(error, ENODATA,
                         "--between: the profile does not say when its samples were taken, as those of other programs and of "
                         "older versions do not");
    for (size_t i = 0; until_ns && i < filter->between.count; i++)
        if (filter->between.items[i].to_ns > until_ns && filter->between.items[i].to_ns != UINT64_MAX)
            return error_set(error, ENODATA,
                             "--between: the profile says only until %.3f s when its samples were taken: there was no memory for "
                             "more (--max-memory)",
                             (double)until_ns / 1e9);
    return 0;
}
