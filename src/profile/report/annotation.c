/* SPDX-License-Identifier: MIT */
#include "profile/report/annotation.h"

#include "common/base/array.h"
#include "common/base/hash.h"
#include "profile/profile/label.h"
#include "profile/profile/match.h"
#include "profile/profile/profile.h"
#include "profile/profile/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct choosing {
    const struct profile *profile;
    struct annotation *annotation;
    unsigned char *fits; /* of each function, an enum match */
    uint32_t *places;    /* of each function, its choice; PROFILE_NONE: not chosen yet */
    uint64_t *touched;   /* of each function, the last sample that it was added to, counted from 1 */
    enum match least;    /* least fit of a chosen function */
};

void annotation_fini(struct annotation *annotation)
{
    for (size_t i = 0; i < annotation->code_count; i++)
        code_fini(&annotation->codes[i]);
    free(annotation->codes);
    free(annotation->items);
    memset(annotation, 0, sizeof *annotation);
}

/* Returns how well the frame LOCATION fits: the best fit among its function and the functions inlined there. */
static enum match fit_of(const struct choosing *choosing, const struct profile_location *location)
{
    enum match fits = choosing->fits[location->function];
    for (uint32_t i = location->line_first; i < location->line_first + location->line_count; i++) {
        enum match other = choosing->fits[choosing->profile->lines[i].function];
        fits = fits > other ? fits : other;
    }
    return fits;
}

/* Returns the best fit of any frame of a sample. */
static enum match best_fit(const struct choosing *choosing)
{
    const struct profile *profile = choosing->profile;
    enum match best = MATCH_NONE;
    for (size_t i = 0; i < profile->location_count; i++) {
        enum match fits = fit_of(choosing, &profile->locations[i]);
        best = fits > best ? fits : best;
    }
    return best;
}

static struct annotation_choice *choice_of(struct choosing *choosing, uint32_t index)
{
    struct annotation *annotation = choosing->annotation;
    uint32_t function = choosing->profile->locations[index].function, *place = &choosing->places[function];
    if (*place == PROFILE_NONE) {
        if (!ARRAY_RESERVE_ONE(annotation))
            return NULL;
        *place = (uint32_t)annotation->count;
        annotation->items[annotation->count++] = (struct annotation_choice){
            .function = function, .location = index, .inlined = choosing->fits[function] < choosing->least};
    }
    return &annotation->items[*place];
}

/* Adds sample NUMBER, counted from 1. Returns false if memory runs out. */
static bool add_sample(struct choosing *choosing, const struct profile_sample *sample, uint64_t number)
{
    const struct profile *profile = choosing->profile;
    for (uint32_t i = 0; i < sample->frame_count; i++) {
        uint32_t index = profile->frames[sample->frame_first + i];
        const struct profile_location *location = &profile->locations[index];
        if (fit_of(choosing, location) < choosing->least)
            continue;
        struct annotation_choice *choice = choice_of(choosing, index);
        if (!choice)
            return false;
        choice->self_ns += i || label_in_syscall(sample) ? 0 : profile_sample_ns(sample);
        choice->total_ns += choosing->touched[location->function] == number ? 0 : profile_sample_ns(sample);
        choosing->touched[location->function] = number;
    }
    return true;
}

static int by_time(const void *one, const void *other)
{
    const struct annotation_choice *a = one, *b = other;
    if (a->self_ns != b->self_ns)
        return a->self_ns > b->self_ns ? -1 : 1;
    if (a->total_ns != b->total_ns)
        return a->total_ns > b->total_ns ? -1 : 1;
    return a->function < b->function ? -1 : a->function > b->function;
}

int annotation_choose(struct annotation *annotation, const struct profile *profile,
                      const struct report_pattern *pattern)
{
    const struct matcher matcher = {&pattern->compiled, 1, pattern->text};
    size_t count = profile->function_count + 1;
    struct choosing choosing = {
        .profile = profile,
        .annotation = annotation,
        .fits = match_functions(&matcher, profile),
        .places = hash_numbers(count),
        .touched = calloc(count, sizeof *choosing.touched),
    };
    bool done = choosing.fits && choosing.places && choosing.touched;
    annotation->pattern = pattern;
    if (done)
        annotation->least = choosing.least = best_fit(&choosing);
    for (size_t i = 0; i < profile->sample_count && done && choosing.least; i++)
        done = add_sample(&choosing, &profile->samples[i], i + 1);
    if (annotation->count)
        qsort(annotation->items, annotation->count, sizeof *annotation->items, by_time);
    free(choosing.fits);
    free(choosing.places);
    free(choosing.touched);
    return done ? 0 : -ENOMEM;
}
