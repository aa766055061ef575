/* SPDX-License-Identifier: MIT
 *
 * Filters samples by the time at which they were taken. */
#include "profile/profile/filter_parts.h"

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/scale.h"
#include "profile/profile/filter.h"
#include "profile/profile/instants.h"
#include "profile/profile/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A stretch of known times. */
struct stretch {
    uint64_t from_ns, to_ns;
};

/* Sets *NS to the time of MOMENT; of marks, the first from EARLIEST_NS on. Returns false if there is none. */
static bool find(const struct profile *profile, const struct filter_moment *moment, uint64_t earliest_ns, uint64_t *ns)
{
    *ns = moment->ns;
    for (size_t i = 0; moment->mark && i < profile->mark_count; i++) {
        const struct profile_mark *mark = &profile->marks[i];
        *ns = mark->time_ns;
        if (mark->time_ns >= earliest_ns && strlen(mark->text) == moment->length &&
            !memcmp(mark->text, moment->mark, moment->length))
            return true;
    }
    return !moment->mark;
}

/* Sets *STRETCH to the times of ASKED. Returns the end of ASKED whose mark does not exist, or NULL. */
static const struct filter_moment *resolve(const struct profile *profile, const struct filter_stretch *asked,
                                           struct stretch *stretch)
{
    if (!find(profile, &asked->from, 0, &stretch->from_ns))
        return &asked->from;
    uint64_t earliest_ns = stretch->from_ns + (asked->from.mark != NULL);
    return find(profile, &asked->to, earliest_ns, &stretch->to_ns) ? NULL : &asked->to;
}

static int by_begin(const void *one, const void *other)
{
    const struct stretch *a = one, *b = other;
    return a->from_ns < b->from_ns ? -1 : a->from_ns > b->from_ns;
}

/* Sorts ITEMS (COUNT of them) and merges those that touch each other. Returns how many remain. */
static size_t make_apart(struct stretch *items, size_t count)
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

/* Sets *PART to the part of INSTANT inside STRETCH. Returns false if there is none. */
static bool cut(const struct instant *instant, const struct stretch *stretch, struct instant *part)
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
    part->count = scale_share(instant->count, to_ns - from_ns, ended_ns - began_ns);
    part->wait_ns = scale_share(instant->wait_ns, to_ns - from_ns, ended_ns - began_ns);
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

/* Sets the samples of PROFILE to 0, and stores their period by sample in *EACH_NS, which the caller frees. */
static bool empty_samples(struct profile *profile, uint64_t **each_ns)
{
    *each_ns = calloc(profile->sample_count + 1, sizeof **each_ns);
    for (size_t i = 0; *each_ns && i < profile->sample_count; i++) {
        struct profile_sample *sample = &profile->samples[i];
        (*each_ns)[i] = sample->count ? sample->period_ns / sample->count : 0;
        sample->count = sample->cpu_ns = sample->wait_ns = sample->period_ns = 0;
    }
    return *each_ns != NULL;
}

/* Replaces the instants of PROFILE by KEPT. */
static void replace(struct profile *profile, struct instants *kept)
{
    if (profile->instants.until_ns)
        instants_lack(kept, profile->instants.until_ns);
    instants_fini(&profile->instants);
    profile->instants = *kept;
}

/* Returns the times of STRETCHES in PROFILE, merged if they touch; the caller frees them. Sets *COUNT to their number.
 * Returns NULL if memory runs out. */
static struct stretch *resolve_all(const struct filter_stretches *stretches, const struct profile *profile,
                                   size_t *count)
{
    struct stretch *items = calloc(stretches->count + 1, sizeof *items);
    for (size_t i = 0; items && i < stretches->count; i++)
        resolve(profile, &stretches->items[i], &items[i]);
    *count = items && stretches->count ? make_apart(items, stretches->count) : 0;
    return items;
}

bool filter_times_find(const struct filter_stretches *stretches, const struct profile *profile, bool *found)
{
    struct instants_reader reader;
    struct instant instant, part;
    size_t count;
    struct stretch *items = resolve_all(stretches, profile, &count);
    if (!items)
        return false;
    instants_read(&reader, &profile->instants);
    while (count && instants_next(&reader, &instant))
        for (size_t i = 0; i < count; i++)
            if (cut(&instant, &items[i], &part) && (part.count || part.cpu_ns || part.wait_ns))
                found[instant.sample] = true;
    free(items);
    return true;
}

bool filter_times_cut(const struct filter_stretches *stretches, struct profile *profile)
{
    size_t count;
    struct stretch *items = resolve_all(stretches, profile, &count);
    struct instants_reader reader;
    struct instants kept = {.count = 0};
    struct instant instant, part;
    uint64_t *each_ns;
    if (!items || !stretches->count) {
        free(items);
        return items != NULL;
    }
    if (!empty_samples(profile, &each_ns)) {
        free(items);
        return false;
    }
    instants_read(&reader, &profile->instants);
    while (instants_next(&reader, &instant))
        for (size_t i = 0; i < count; i++)
            if (cut(&instant, &items[i], &part))
                add_part(profile, &kept, &part);
    for (size_t i = 0; i < profile->sample_count; i++)
        profile->samples[i].period_ns = profile->samples[i].count * each_ns[i];
    free(each_ns);
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

/* Reports a mark that does not exist, and lists the existing ones. */
static int no_mark(const struct profile *profile, const struct filter_moment *moment, struct error *error)
{
    enum { MOST = 10 };
    struct buffer list = {0};
    for (size_t i = 0; i < profile->mark_count && i < MOST; i++)
        buffer_printf(&list, "%s'%.40s' at %.3fs", i ? ", " : "; there are ", profile->marks[i].text,
                      (double)profile->marks[i].time_ns / 1e9);
    if (profile->mark_count > MOST)
        buffer_printf(&list, " and %zu others", profile->mark_count - MOST);
    error_set(error, ENODATA, "--between: '%.*s' is neither a time nor the text of a mark%s",
              (int)(moment->length < 100 ? moment->length : 100), moment->mark, list.bytes ? list.bytes : "");
    buffer_fini(&list);
    return -ENODATA;
}

int filter_check(const struct filter *filter, const struct profile *profile, struct error *error)
{
    uint64_t until_ns = profile->instants.until_ns;
    if (filter->between.count && profile->sample_count && !profile->instants.count)
        return error_set(
            error, ENODATA,
            "--between: the profile has no timestamps; profiles of other programs and of older versions have none");
    for (size_t i = 0; i < filter->between.count; i++) {
        struct stretch stretch = {0};
        const struct filter_moment *missing = resolve(profile, &filter->between.items[i], &stretch);
        if (missing)
            return no_mark(profile, missing, error);
        if (until_ns && stretch.to_ns > until_ns && stretch.to_ns != UINT64_MAX)
            return error_set(
                error, ENODATA,
                "--between: the profile says only until %.3f s when its samples were taken: there was no memory for "
                "more (--max-memory)",
                (double)until_ns / 1e9);
    }
    return 0;
}
