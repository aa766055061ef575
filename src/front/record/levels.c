/* SPDX-License-Identifier: MIT
 *
 * Levels the weights of the samples of each thread (model/level.h). */
#include "common/base/array.h"
#include "common/base/hash.h"
#include "common/model/level.h"
#include "front/record/record.h"
#include "front/record/record_parts.h"

/* Returns the levels of thread INDEX, and makes them if needed. Returns NULL if memory runs out. */
static struct level *level_of(struct record *record, uint32_t index)
{
    struct record_thread *thread = &record->threads.items[index];
    if (!thread->levelled && ARRAY_RESERVE_ONE(&record->levels)) {
        record->levels.items[record->levels.count++] = (struct record_level){.thread = index};
        thread->levelled = (uint32_t)record->levels.count;
    }
    return thread->levelled ? &record->levels.items[thread->levelled - 1].level : NULL;
}

static void add_parts(struct record *record, uint32_t image, const struct level_part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct record_sample more = record->samples.items[parts[i].sample];
        more.count = more.wait_ns = more.period_ns = 0;
        more.cpu_ns = parts[i].ns;
        record_add_sample(record, &record->images.items[image], &more, parts[i].time_ns);
    }
}

/* Does not level a thread that shares its entry: threads with one entry are not neighbours. Threads of an image that
 * shares an entry may belong to another image. */
uint64_t record_level(struct record *record, uint32_t thread, const struct record_capture *capture, uint64_t own_ns)
{
    const struct record_thread *of = &record->threads.items[thread];
    struct level_part parts[LEVEL_PAST];
    size_t count;
    bool alone = !capture->period_ns || capture->own_ns == LEVEL_ALONE;
    struct level *level = !alone && of->tid == capture->tid ? level_of(record, thread) : NULL;
    if (!level || !capture->weight_ns)
        return capture->weight_ns;
    uint64_t given_ns =
        level_sample(level, capture->weight_ns, own_ns, capture->period_ns, capture->time_ns, parts, &count);
    add_parts(record, of->image, parts, count);
    return own_ns + given_ns;
}

void record_levelled(struct record *record, uint32_t thread, const struct record_capture *capture, uint32_t sample,
                     uint64_t ns)
{
    uint32_t levelled = record->threads.items[thread].levelled;
    if (levelled && capture->weight_ns && capture->own_ns != LEVEL_ALONE)
        level_given(&record->levels.items[levelled - 1].level, sample, capture->time_ns, ns);
}

static void end_level(struct record *record, uint32_t index)
{
    struct level_part parts[LEVEL_PAST];
    struct record_level *ended = &record->levels.items[index];
    struct record_thread *thread = &record->threads.items[ended->thread];
    size_t count = level_end(&ended->level, parts);
    add_parts(record, thread->image, parts, count);
    thread->levelled = 0;
    *ended = record->levels.items[--record->levels.count];
    if (index < record->levels.count)
        record->threads.items[ended->thread].levelled = index + 1;
}

void record_levels_end(struct record *record, uint32_t image)
{
    for (uint32_t i = (uint32_t)record->levels.count; i-- > 0;)
        if (image == HASH_NONE || record->threads.items[record->levels.items[i].thread].image == image)
            end_level(record, i);
}
