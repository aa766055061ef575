/* SPDX-License-Identifier: MIT */
#include "profile/profile/timeline.h"

#include "profile/profile/instants.h"
#include "profile/profile/profile.h"

#include <errno.h>
#include <stdlib.h>

static int compare_times(const struct timeline_item *a, const struct timeline_item *b)
{
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns ? -1 : 1;
    if (a->sample != b->sample)
        return a->sample < b->sample ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static int by_time(const void *left, const void *right)
{
    return compare_times(left, right);
}

static int by_thread_and_time(const void *left, const void *right, void *data)
{
    const struct profile *profile = data;
    const struct timeline_item *a = left, *b = right;
    uint32_t one = profile->samples[a->sample].thread, other = profile->samples[b->sample].thread;
    if (one != other)
        return one < other ? -1 : 1;
    return compare_times(a, b);
}

static void append_item(struct timeline *timeline, uint64_t time_ns, uint32_t sample, uint64_t count, uint64_t cpu_ns,
                        uint64_t wait_ns)
{
    timeline->items[timeline->count] =
        (struct timeline_item){time_ns, sample, (uint32_t)timeline->count, count, cpu_ns, wait_ns};
    timeline->count++;
}

/* Adds the parts taken at each of the first COUNT instants, and subtracts them from LEFT, the time that each sample
 * represents. */
static void add_instants(struct timeline *timeline, const struct profile *profile, size_t count,
                         struct timeline_item *left)
{
    struct instants_reader reader;
    struct instant instant;
    for (instants_read(&reader, &profile->instants); count && instants_next(&reader, &instant); count--) {
        struct timeline_item *rest = &left[instant.sample];
        rest->count -= instant.count;
        rest->cpu_ns -= instant.cpu_ns;
        rest->wait_ns -= instant.wait_ns;
        append_item(timeline, instant.time_ns, instant.sample, instant.count, instant.cpu_ns, instant.wait_ns);
    }
}

/* Joins time that a sample was given later with the part taken at that time. */
static void join_moments(struct timeline *timeline)
{
    size_t kept = 0;
    for (size_t i = 1; i < timeline->count; i++) {
        const struct timeline_item *item = &timeline->items[i];
        struct timeline_item *last = &timeline->items[kept];
        if (item->count || item->wait_ns || item->time_ns == TIMELINE_NEVER || item->time_ns != last->time_ns ||
            item->sample != last->sample)
            timeline->items[++kept] = *item;
        else
            last->cpu_ns += item->cpu_ns;
    }
    timeline->count = timeline->count ? kept + 1 : 0;
}

uint64_t timeline_until_ns(const struct profile *profile, size_t most)
{
    struct instants_reader reader;
    struct instant instant = {.time_ns = 0};
    if (profile->instants.count <= most)
        return 0;
    instants_read(&reader, &profile->instants);
    for (size_t i = 0; i <= most && instants_next(&reader, &instant);)
        i++;
    return instant.time_ns ? instant.time_ns : 1;
}

int timeline_init(struct timeline *timeline, const struct profile *profile, bool by_thread, size_t most)
{
    size_t instants = profile->instants.count > most ? most : profile->instants.count;
    struct timeline_item *left = calloc(profile->sample_count + 1, sizeof *left);
    *timeline = (struct timeline){.count = 0};
    timeline->items = malloc((profile->sample_count + instants + 1) * sizeof *timeline->items);
    if (!left || !timeline->items) {
        free(left);
        timeline_fini(timeline);
        return -ENOMEM;
    }
    for (size_t i = 0; i < profile->sample_count; i++) {
        const struct profile_sample *sample = &profile->samples[i];
        left[i] = (struct timeline_item){.count = sample->count, .cpu_ns = sample->cpu_ns, .wait_ns = sample->wait_ns};
    }
    add_instants(timeline, profile, instants, left);
    for (uint32_t i = 0; i < profile->sample_count; i++)
        if (!instants || left[i].count || timeline_ns(&left[i]))
            append_item(timeline, TIMELINE_NEVER, i, left[i].count, left[i].cpu_ns, left[i].wait_ns);
    free(left);
    if (by_thread)
        qsort_r(timeline->items, timeline->count, sizeof *timeline->items, by_thread_and_time,
                (void *)(uintptr_t)profile);
    else
        qsort(timeline->items, timeline->count, sizeof *timeline->items, by_time);
    join_moments(timeline);
    return 0;
}

void timeline_fini(struct timeline *timeline)
{
    free(timeline->items);
    *timeline = (struct timeline){.count = 0};
}
