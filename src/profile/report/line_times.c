/* SPDX-License-Identifier: MIT
 *
 * Sums the samples by source line and by instruction of annotated code. */
#include "profile/report/annotation.h"

#include "profile/profile/label.h"
#include "profile/profile/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* An instruction, for sorting by its spot. */
struct placed {
    uint32_t file, line, number;
};

static int by_spot(const void *one, const void *other)
{
    const struct placed *a = one, *b = other;
    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* Makes the spots of CODE. Sets SPOT_OF to the spot's number for each instruction. */
static void make_spots(struct line_times *times, const struct code *code, struct placed *placed, uint32_t *spot_of)
{
    size_t count = 0;
    for (size_t i = 0; i < code->count; i++)
        if (!code->items[i].outside)
            placed[count++] = (struct placed){code->items[i].file, code->items[i].line, (uint32_t)i};
    if (count)
        qsort(placed, count, sizeof *placed, by_spot);
    for (size_t i = 0; i < count; i++) {
        if (!i || placed[i].file != placed[i - 1].file || placed[i].line != placed[i - 1].line)
            times->spots[times->spot_count++] =
                (struct line_spot){.file = placed[i].file, .line = placed[i].line, .first = (uint32_t)i};
        times->spots[times->spot_count - 1].count++;
        times->order[i] = placed[i].number;
        spot_of[placed[i].number] = (uint32_t)times->spot_count - 1;
    }
}

static void add_time(struct line_time *time, const struct profile_sample *sample, uint64_t number, bool self)
{
    if (self) {
        time->samples += sample->count;
        time->self_ns += profile_sample_ns(sample);
    }
    if (time->touched != number)
        time->total_ns += profile_sample_ns(sample);
    time->touched = number;
}

static void add_sample(struct line_times *times, const struct profile *profile, const struct code *code,
                       const uint32_t *spot_of, const struct profile_sample *sample, uint64_t number)
{
    for (uint32_t i = 0; i < sample->frame_count; i++) {
        uint32_t at = code_find(code, profile, profile->frames[sample->frame_first + i]);
        if (at == CODE_NONE || code->items[at].outside)
            continue;
        bool self = !i && !label_in_syscall(sample);
        add_time(&times->instructions[at], sample, number, self);
        add_time(&times->spots[spot_of[at]].time, sample, number, self);
        add_time(&times->function, sample, number, self);
    }
}

int line_times_init(struct line_times *times, const struct profile *profile, const struct code *code)
{
    struct placed *placed = malloc((code->count + 1) * sizeof *placed);
    uint32_t *spot_of = malloc((code->count + 1) * sizeof *spot_of);
    *times = (struct line_times){
        .instructions = calloc(code->count + 1, sizeof *times->instructions),
        .spots = calloc(code->count + 1, sizeof *times->spots),
        .order = calloc(code->count + 1, sizeof *times->order),
    };
    bool ready = placed && spot_of && times->instructions && times->spots && times->order;
    if (ready) {
        make_spots(times, code, placed, spot_of);
        for (size_t i = 0; i < profile->sample_count; i++)
            add_sample(times, profile, code, spot_of, &profile->samples[i], i + 1);
    } else
        line_times_fini(times);
    free(placed);
    free(spot_of);
    return ready ? 0 : -ENOMEM;
}

/* Returns true if LOCATION is in one of the COUNT PARTS that are shown. */
static bool is_in(const struct annotation_part *parts, size_t count, const struct profile *profile, uint32_t location)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t at = parts[i].shown ? code_find(&parts[i].code, profile, location) : CODE_NONE;
        if (at != CODE_NONE && !parts[i].code.items[at].outside)
            return true;
    }
    return false;
}

struct line_time line_times_sum(const struct profile *profile, const struct annotation *annotation,
                                const struct annotation_choice *choice)
{
    const struct annotation_part *parts = &annotation->parts[choice->first];
    struct line_time sum = {0};
    for (size_t i = 0; i < profile->sample_count; i++) {
        const struct profile_sample *sample = &profile->samples[i];
        for (uint32_t k = 0; k < sample->frame_count; k++)
            if (is_in(parts, choice->count, profile, profile->frames[sample->frame_first + k]))
                add_time(&sum, sample, i + 1, !k && !label_in_syscall(sample));
    }
    return sum;
}

void line_times_fini(struct line_times *times)
{
    free(times->instructions);
    free(times->spots);
    free(times->order);
    memset(times, 0, sizeof *times);
}
