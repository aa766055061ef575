/* SPDX-License-Identifier: MIT */
#include "profile/report/annotation.h"

#include "common/base/array.h"
#include "common/base/buffer.h"
#include "common/base/hash.h"
#include "common/names/short_name.h"
#include "common/text/names.h"
#include "profile/profile/label.h"
#include "profile/profile/match.h"
#include "profile/profile/profile.h"
#include "profile/profile/writer.h"
#include "profile/report/homonyms.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct choosing {
    const struct profile *profile;
    struct annotation *annotation;
    const struct matcher *matcher;
    struct homonyms view;
    struct names names;
    struct texts keys;   /* of the choices: their modules, names and labels */
    unsigned char *fits; /* of each function of the view, an enum match */
    uint32_t *parts;     /* of each function, its part; HASH_NONE: not chosen yet */
    enum match least;    /* least fit of a chosen function */
};

void annotation_fini(struct annotation *annotation)
{
    for (size_t i = 0; i < annotation->part_count; i++)
        code_fini(&annotation->parts[i].code);
    for (size_t i = 0; i < annotation->count; i++)
        free(annotation->items[i].name);
    free(annotation->parts);
    free(annotation->items);
    memset(annotation, 0, sizeof *annotation);
}

/* Writes the name of FUNCTION with its label to TEXT, or its SHORT name. */
static void put_name(struct buffer *text, const struct choosing *choosing, uint32_t function, bool is_short)
{
    const char *whole = choosing->names.whole.items[choosing->view.names[function]];
    const char *label = choosing->view.labels[function];
    if (is_short)
        short_name_put(text, whole, SHORT_NAME_BARE);
    else
        buffer_puts(text, whole);
    if (label)
        buffer_printf(text, " (%s)", label);
}

/* Raises the fits of functions with labels: a user may copy the name from a table. */
static bool match_labels(struct choosing *choosing)
{
    const struct homonyms *view = &choosing->view;
    bool done = true;
    for (uint32_t i = 0; i < view->profile.function_count && done; i++)
        for (int is_short = 0; is_short < 2 && view->labels[i] && done; is_short++) {
            struct buffer text = {0};
            put_name(&text, choosing, i, is_short);
            done = !text.failed;
            enum match fits = done ? match_name(choosing->matcher, text.bytes) : MATCH_NONE;
            choosing->fits[i] = fits > choosing->fits[i] ? (unsigned char)fits : choosing->fits[i];
            buffer_fini(&text);
        }
    return done;
}

static bool find_fits(struct choosing *choosing)
{
    struct homonyms *view = &choosing->view;
    const struct profile *profile = &view->profile;
    for (size_t i = 0; i < profile->function_count; i++) {
        view->names[i] = names_add(&choosing->names, profile->functions[i].name, !profile->functions[i].linkage_name);
        if (view->names[i] == HASH_NONE)
            return false;
    }
    choosing->fits = match_functions(choosing->matcher, profile);
    return choosing->fits && !homonyms_label(view, 1) && match_labels(choosing);
}

/* Returns how well the frame LOCATION fits: the best fit among its function and the functions inlined there. */
static enum match fit_of(const struct choosing *choosing, const struct profile_location *location)
{
    enum match fits = choosing->fits[location->function];
    for (uint32_t i = location->line_first; i < location->line_first + location->line_count; i++) {
        enum match other = choosing->fits[choosing->view.profile.lines[i].function];
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

/* Returns the number of the choice that FUNCTION is a part of, or HASH_NONE if memory runs out. */
static uint32_t choice_of(struct choosing *choosing, uint32_t function)
{
    struct annotation *annotation = choosing->annotation;
    struct buffer name = {0}, key = {0};
    put_name(&name, choosing, function, false);
    buffer_printf(&key, "%u %s", (unsigned)choosing->profile->functions[function].module,
                  name.failed ? "" : name.bytes);
    size_t before = annotation->count;
    uint32_t number =
        name.failed || key.failed || !ARRAY_RESERVE_ONE(annotation) ? HASH_NONE : texts_add(&choosing->keys, key.bytes);
    if (number == before) {
        annotation->items[annotation->count++] = (struct annotation_choice){
            .name = name.bytes, .number = number, .inlined = choosing->fits[function] < choosing->least};
        name = (struct buffer){0};
    }
    buffer_fini(&name);
    buffer_fini(&key);
    return number;
}

/* Returns the part for LOCATION, an index, or NULL if memory runs out. */
static struct annotation_part *part_of(struct choosing *choosing, uint32_t location)
{
    struct annotation *annotation = choosing->annotation;
    uint32_t function = choosing->profile->locations[location].function, *part = &choosing->parts[function];
    if (*part != HASH_NONE)
        return &annotation->parts[*part];
    uint32_t choice = choice_of(choosing, function);
    if (choice == HASH_NONE || !array_reserve_((void **)&annotation->parts, &annotation->part_room,
                                               annotation->part_count + 1, sizeof *annotation->parts))
        return NULL;
    *part = (uint32_t)annotation->part_count++;
    annotation->parts[*part] = (struct annotation_part){.function = function, .location = location, .choice = choice};
    return &annotation->parts[*part];
}

/* Adds sample NUMBER, counted from 1. Returns false if memory runs out. */
static bool add_sample(struct choosing *choosing, const struct profile_sample *sample, uint64_t number)
{
    const struct profile *profile = choosing->profile;
    uint64_t ns = profile_sample_ns(sample);
    for (uint32_t i = 0; i < sample->frame_count; i++) {
        uint32_t index = profile->frames[sample->frame_first + i];
        if (fit_of(choosing, &profile->locations[index]) < choosing->least)
            continue;
        struct annotation_part *part = part_of(choosing, index);
        if (!part)
            return false;
        struct annotation_choice *choice = &choosing->annotation->items[part->choice];
        uint64_t self_ns = i || label_in_syscall(sample) ? 0 : ns;
        part->self_ns += self_ns;
        choice->self_ns += self_ns;
        part->total_ns += part->touched == number ? 0 : ns;
        choice->total_ns += choice->touched == number ? 0 : ns;
        part->touched = choice->touched = number;
    }
    return true;
}

static int falling(uint64_t one, uint64_t other)
{
    return (one < other) - (one > other);
}

static int by_time(const void *one, const void *other)
{
    const struct annotation_choice *a = one, *b = other;
    int order = falling(a->total_ns, b->total_ns);
    if (!order)
        order = falling(a->self_ns, b->self_ns);
    return order ? order : falling(b->number, a->number);
}

static int by_choice(const void *one, const void *other)
{
    const struct annotation_part *a = one, *b = other;
    int order = falling(b->choice, a->choice);
    if (!order)
        order = falling(a->total_ns, b->total_ns);
    return order ? order : falling(b->function, a->function);
}

/* Sorts the parts and the choices. The items are still in the order of their numbers. */
static void sort(struct annotation *annotation)
{
    if (!annotation->count)
        return;
    qsort(annotation->parts, annotation->part_count, sizeof *annotation->parts, by_choice);
    for (size_t i = annotation->part_count; i--;) {
        struct annotation_choice *choice = &annotation->items[annotation->parts[i].choice];
        choice->first = i;
        choice->count++;
    }
    qsort(annotation->items, annotation->count, sizeof *annotation->items, by_time);
}

static bool begin(struct choosing *choosing)
{
    if (homonyms_init(&choosing->view, choosing->profile) < 0)
        return false;
    choosing->parts = hash_numbers(choosing->profile->function_count);
    bool done = choosing->parts && find_fits(choosing);
    if (done)
        choosing->least = best_fit(choosing);
    return done;
}

static void end(struct choosing *choosing)
{
    homonyms_fini(&choosing->view);
    names_fini(&choosing->names);
    texts_fini(&choosing->keys);
    free(choosing->fits);
    free(choosing->parts);
}

int annotation_choose(struct annotation *annotation, const struct profile *profile,
                      const struct report_pattern *pattern)
{
    const struct matcher matcher = {&pattern->compiled, 1, pattern->text};
    struct choosing choosing = {.profile = profile, .annotation = annotation, .matcher = &matcher};
    bool done = begin(&choosing);
    annotation->pattern = pattern;
    annotation->least = choosing.least;
    for (size_t i = 0; i < profile->sample_count && done && choosing.least; i++)
        done = add_sample(&choosing, &profile->samples[i], i + 1);
    sort(annotation);
    end(&choosing);
    return done ? 0 : -ENOMEM;
}

int annotation_finds(const struct profile *profile, const struct report_pattern *pattern, bool *found)
{
    const struct matcher matcher = {&pattern->compiled, 1, pattern->text};
    struct choosing choosing = {.profile = profile, .matcher = &matcher};
    bool done = begin(&choosing);
    *found = choosing.least != MATCH_NONE;
    end(&choosing);
    return done ? 0 : -ENOMEM;
}
