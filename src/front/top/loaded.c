/* SPDX-License-Identifier: MIT */
#include "front/top/loaded.h"

#include "common/base/array.h"
#include "profile/profile/label.h"
#include "profile/profile/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The object of the call site that a process's time without samples has. */
enum { NO_OBJECT = UINT32_MAX - 1 };

static bool add_images(struct record *record, const struct profile *profile)
{
    for (size_t i = 0; i < profile->process_count; i++) {
        const struct profile_process *process = &profile->processes[i];
        if (!ARRAY_RESERVE_ONE(&record->images))
            return false;
        struct record_image *image = &record->images.items[record->images.count++];
        *image = (struct record_image){
            .pid = process->pid, .generation = process->image, .program = HASH_NONE, .command = HASH_NONE};
        snprintf(image->comm, sizeof image->comm, "%s", process->comm);
    }
    return true;
}

static bool add_thread(struct record *record, uint32_t image, pid_t tid, const char *comm)
{
    if (!ARRAY_RESERVE_ONE(&record->threads))
        return false;
    struct record_thread *thread = &record->threads.items[record->threads.count++];
    *thread = (struct record_thread){.image = image, .tid = tid};
    snprintf(thread->comm, sizeof thread->comm, "%s", comm);
    return true;
}

static bool is_node(const void *owner, uint32_t number, const void *key)
{
    const struct record_node *a = &((const struct record *)owner)->nodes.items[number], *b = key;
    return a->parent == b->parent && a->object == b->object && a->address == b->address;
}

/* The address of a node is the number of its location. */
static uint32_t node_of(struct record *record, uint32_t parent, uint32_t object, uint64_t location)
{
    struct record_node node = {.parent = parent, .object = object, .address = location};
    uint64_t value = hash_number((uint64_t)parent << 32 ^ hash_number(location ^ (uint64_t)object << 40));
    return HASH_INTERN(&record->nodes, value, is_node, record, &node);
}

/* Adds a sample with COUNTS. */
static bool add_sample(struct loaded *loaded, const struct record_sample *sample, const struct live_counts *counts)
{
    struct record *record = &loaded->record;
    struct live_picture *picture = &loaded->picture;
    size_t number = record->samples.count;
    if (sample->leaf == HASH_NONE || !ARRAY_RESERVE_ONE(&record->samples))
        return false;
    record->samples.items[record->samples.count++] = *sample;
    picture->all[number] = picture->recent[number] = *counts;
    picture->count = number + 1;
    picture->all_sum.count += counts->count;
    picture->all_sum.cpu_ns += counts->cpu_ns;
    picture->all_sum.wait_ns += counts->wait_ns;
    return true;
}

static bool add_profile_sample(struct loaded *loaded, const struct profile *profile,
                               const struct profile_sample *sample)
{
    struct record *record = &loaded->record;
    uint32_t node = HASH_NONE;
    for (uint32_t i = sample->frame_count; i-- > 0;) {
        uint32_t location = profile->frames[sample->frame_first + i];
        uint32_t module = profile->locations[location].module;
        node = node_of(record, node, module, location);
        if (node == HASH_NONE)
            return false;
        if (profile->modules[module].executable)
            record->images.items[profile->threads[sample->thread].process].program = module;
    }
    struct record_sample one = {
        .thread = sample->thread, .leaf = node, .syscall = sample->syscall, .cut = (enum profile_cut)sample->cut};
    return add_sample(loaded, &one, &(struct live_counts){sample->count, sample->cpu_ns, sample->wait_ns, 0});
}

/* A process's time without samples belongs to a thread without a number. */
static bool add_unsampled(struct loaded *loaded, const struct profile *profile, uint32_t number)
{
    struct record *record = &loaded->record;
    const struct profile_process *process = &profile->processes[number];
    if (!profile_unsampled_ns(process))
        return true;
    if (!add_thread(record, number, 0, profile_unsampled_name(profile)))
        return false;
    struct record_sample one = {.thread = (uint32_t)record->threads.count - 1,
                                .leaf = node_of(record, HASH_NONE, NO_OBJECT, 0),
                                .syscall = -1,
                                .cut = PROFILE_WHOLE};
    return add_sample(loaded, &one, &(struct live_counts){0, process->unsampled_ns, process->unsampled_wait_ns, 0});
}

static uint32_t function_of(struct places *places, const struct profile *profile, uint32_t number)
{
    const struct profile_function *function = &profile->functions[number];
    return places_function(places, function->name, profile->modules[function->module].name, !function->linkage_name);
}

static bool name_place(struct places *places, const struct profile *profile, uint32_t number)
{
    const struct places_item *item = &places->places.items[number];
    if (item->object == NO_OBJECT) {
        uint32_t function = places_function(places, profile_unsampled_name(profile), "", true);
        return function != HASH_NONE && places_set(places, number, &function, 1);
    }
    const struct profile_location *location = &profile->locations[item->address];
    size_t count = location->line_count ? location->line_count : 1;
    uint32_t *functions = malloc(count * sizeof *functions);
    bool named = functions;
    for (size_t i = 0; i < count && named; i++) {
        functions[i] =
            function_of(places, profile,
                        location->line_count ? profile->lines[location->line_first + i].function : location->function);
        named = functions[i] != HASH_NONE;
    }
    named = named && places_set(places, number, functions, count);
    free(functions);
    return named;
}

bool loaded_make(struct loaded *loaded, const struct profile *profile, bool full_names)
{
    struct record *record = &loaded->record;
    size_t most = profile->sample_count + profile->process_count + 1;
    *loaded = (struct loaded){.places.full_names = full_names};
    loaded->picture.all = calloc(most, sizeof *loaded->picture.all);
    loaded->picture.recent = calloc(most, sizeof *loaded->picture.recent);
    bool made = loaded->picture.all && loaded->picture.recent && add_images(record, profile);
    for (size_t i = 0; i < profile->thread_count && made; i++)
        made = add_thread(record, profile->threads[i].process, profile->threads[i].tid, profile->threads[i].comm);
    for (size_t i = 0; i < profile->sample_count && made; i++)
        made = add_profile_sample(loaded, profile, &profile->samples[i]);
    for (uint32_t i = 0; i < profile->process_count && made; i++)
        made = add_unsampled(loaded, profile, i);
    made = made && places_follow(&loaded->places, record);
    for (uint32_t i = 0; i < loaded->places.places.count && made; i++)
        made = name_place(&loaded->places, profile, i);
    return made;
}

void loaded_free(struct loaded *loaded)
{
    places_free(&loaded->places);
    live_picture_free(&loaded->picture);
    record_fini(&loaded->record);
}
