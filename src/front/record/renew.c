/* SPDX-License-Identifier: MIT
 *
 * Turns the record of an interval into the record of the next interval. */
#include "common/base/hash.h"
#include "common/base/texts.h"
#include "common/model/address_map.h"
#include "front/record/object.h"
#include "front/record/record.h"
#include "front/record/record_parts.h"

#include <stdlib.h>
#include <string.h>

enum { FEW_THREADS = 256 /* an image with more threads keeps only the names of threads that ran */ };

/* Maps images and threads of the old record to their indices in the new one, or HASH_NONE. */
struct renewal {
    struct record *record;
    struct record before;
    uint32_t *images, *threads;
    bool *active; /* for each thread: whether it has samples */
};

static uint32_t keep_text(struct record *record, const struct record *before, uint32_t number)
{
    if (number == HASH_NONE)
        return HASH_NONE;
    size_t count = record->commands.count;
    uint32_t kept = texts_add(&record->commands, before->commands.items[number]);
    if (record->commands.count > count)
        record->command_bytes += strlen(before->commands.items[number]);
    return kept;
}

static void keep_images(struct renewal *renewal)
{
    struct record *record = renewal->record, *before = &renewal->before;
    for (size_t i = 0; i < before->images.count; i++) {
        struct record_image *old = &before->images.items[i], image = *old;
        if (!old->number)
            continue;
        image.earlier_ns += old->sampled_ns;
        image.earlier_wait_ns += old->sampled_wait_ns;
        image.cpu_ns = image.unsampled_ns = image.sampled_ns = 0;
        image.wait_ns = image.unsampled_wait_ns = image.sampled_wait_ns = 0;
        image.threads = 0;
        image.command = keep_text(record, before, old->command);
        image.job = keep_text(record, before, old->job);
        image.unit = keep_text(record, before, old->unit);
        image.container = keep_text(record, before, old->container);
        uint32_t index = record_add_image(record, &image);
        renewal->images[i] = index;
        if (index == HASH_NONE)
            continue;
        old->map = (struct address_map){0}; /* the new record owns them now */
        old->objects = NULL;
    }
}

static void find_active(struct renewal *renewal)
{
    const struct record *before = &renewal->before;
    for (size_t i = 0; i < before->samples.count; i++)
        renewal->active[before->samples.items[i].thread] = true;
}

/* Keeps the threads. A thread's name is sent before its first sample, and then rarely. */
static void keep_threads(struct renewal *renewal)
{
    struct record *record = renewal->record;
    const struct record *before = &renewal->before;
    find_active(renewal);
    for (size_t i = 0; i < before->threads.count; i++) {
        const struct record_thread *old = &before->threads.items[i];
        const struct record_image *of = &before->images.items[old->image];
        uint32_t index = renewal->images[old->image];
        if (index == HASH_NONE || of->place != old->image || (of->threads > FEW_THREADS && !renewal->active[i]))
            continue;
        uint32_t thread = record_thread_index(record, index, old->tid);
        if (thread != HASH_NONE)
            memcpy(record->threads.items[thread].comm, old->comm, sizeof old->comm);
        renewal->threads[i] = thread;
    }
}

static void keep_waits(struct renewal *renewal)
{
    const struct record *before = &renewal->before;
    for (size_t i = 0; i < before->waits.count; i++) {
        const struct record_wait *wait = &before->waits.items[i];
        uint32_t index = renewal->images[wait->image];
        uint32_t thread = renewal->threads[before->samples.items[wait->sample].thread];
        if (index != HASH_NONE && thread == HASH_NONE)
            thread = record_thread_index(renewal->record, index, wait->tid);
        if (index != HASH_NONE && thread != HASH_NONE)
            record_keep_wait(renewal->record, before, wait, index, thread);
    }
}

/* Sets USED for the objects of the images and stacks of RECORD. */
static void find_used(const struct record *record, bool *used)
{
    for (size_t i = 0; i < record->images.count; i++) {
        const struct record_image *image = &record->images.items[i];
        for (size_t j = 0; image->objects && j < image->map.count; j++)
            if (image->objects[j] != HASH_NONE)
                used[image->objects[j]] = true;
        if (image->program != HASH_NONE)
            used[image->program] = true;
    }
    for (size_t i = 0; i < record->nodes.count; i++)
        used[record->nodes.items[i].object] = true;
}

/* Notes which objects the interval of BEFORE has used, and which objects the next interval begins with. */
static void note_use(struct record *record, const struct record *before)
{
    bool *earlier = calloc(record->objects.count + 1, sizeof *earlier);
    bool *now = calloc(record->objects.count + 1, sizeof *now);
    if (earlier && now) {
        find_used(before, earlier);
        find_used(record, now);
        objects_note_use(&record->objects, earlier, now);
    }
    free(earlier);
    free(now);
}

void record_renew(struct record *record)
{
    record_levels_end(record, HASH_NONE);
    struct renewal renewal = {.record = record, .before = *record};
    struct record *before = &renewal.before;
    *record = (struct record){
        .objects = before->objects,
        .most_bytes = before->most_bytes,
        .instants.most_bytes = before->instants.most_bytes,
        .began_ns = before->began_ns,
    };
    before->objects = (struct objects){0};
    renewal.images = hash_numbers(before->images.count);
    renewal.threads = hash_numbers(before->threads.count);
    renewal.active = calloc(before->threads.count + 1, sizeof *renewal.active);
    if (renewal.images && renewal.threads && renewal.active) {
        keep_images(&renewal);
        keep_threads(&renewal);
        keep_waits(&renewal);
        record->kept = record->samples.count;
        note_use(record, before);
    } else {
        record->out_of_memory = true;
    }
    free(renewal.images);
    free(renewal.threads);
    free(renewal.active);
    record_fini(before);
}
