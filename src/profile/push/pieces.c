/* SPDX-License-Identifier: MIT */
#include "profile/push/pieces.h"

#include "profile/profile/distinct.h"
#include "profile/stored/writers.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char others_name[] = "other";
static const struct profile_process others = {.comm = others_name};

/* The processes of one name, unit, container and rank. */
struct series {
    const struct profile_process *like; /* one of them */
    uint32_t kind; /* number of distinct ones: more than one in the series that the last ones share */
    uint64_t ns, unsampled_ns, unsampled_wait_ns;
};

struct cutter {
    const struct profile *profile;
    struct distinct distinct;
    struct series *series;
    size_t series_count;
    uint32_t *series_of_kinds;
};

/* Who takes the parts of a profile. */
struct giving {
    const struct profile *profile;
    pieces_taker *take;
    void *of;
};

/* A part: some samples of a series, or its time without samples. */
struct part {
    const struct pieces_series *series;
    struct profile_sample *samples;
    size_t count;
    bool with_unsampled;
};

static uint32_t kind_of(const struct cutter *cutter, const struct profile_sample *sample)
{
    return cutter->distinct.kinds[cutter->profile->threads[sample->thread].process];
}

static int by_time(const void *one, const void *other)
{
    uint64_t a = ((const struct series *)one)->ns, b = ((const struct series *)other)->ns;
    return a < b ? 1 : a > b ? -1 : 0;
}

/* Adds up the time of each series. The series with the least time share one. */
static int find_series(struct cutter *cutter)
{
    const struct profile *profile = cutter->profile;
    size_t count = 2 * cutter->distinct.comms.count;
    cutter->series = calloc(count + 1, sizeof *cutter->series);
    cutter->series_of_kinds = hash_numbers(count);
    if (!cutter->series || !cutter->series_of_kinds)
        return -ENOMEM;
    for (uint32_t i = 0; i < count; i++)
        cutter->series[i] = (struct series){.like = &others, .kind = i};
    for (size_t i = 0; i < profile->process_count; i++) {
        struct series *series = &cutter->series[cutter->distinct.kinds[i]];
        series->like = &profile->processes[i];
        series->unsampled_ns += profile->processes[i].unsampled_ns;
        series->unsampled_wait_ns += profile->processes[i].unsampled_wait_ns;
        series->ns += profile_unsampled_ns(&profile->processes[i]);
    }
    for (size_t i = 0; i < cutter->distinct.count; i++)
        cutter->series[kind_of(cutter, &cutter->distinct.items[i])].ns += profile_sample_ns(&cutter->distinct.items[i]);
    qsort(cutter->series, count, sizeof *cutter->series, by_time);
    cutter->series_count = count < PIECES_SERIES ? count : PIECES_SERIES;
    for (uint32_t i = 0; i < count; i++)
        cutter->series_of_kinds[cutter->series[i].kind] = i < PIECES_SERIES ? i : PIECES_SERIES - 1;
    for (size_t i = PIECES_SERIES; i < count; i++) {
        struct series *last = &cutter->series[PIECES_SERIES - 1];
        last->like = &others;
        last->ns += cutter->series[i].ns;
        last->unsampled_ns += cutter->series[i].unsampled_ns;
        last->unsampled_wait_ns += cutter->series[i].unsampled_wait_ns;
    }
    return 0;
}

/* Writes PART as a stored profile of one process, to *BYTES, which the caller frees, and *SIZE. */
static int write_part(const struct profile *whole, const struct part *part, char **bytes, size_t *size)
{
    struct profile profile = *whole;
    struct profile_process process = {.comm = part->series->like->comm, .module = PROFILE_NONE};
    struct profile_thread thread = {.comm = process.comm};
    process.unsampled_ns = part->with_unsampled ? part->series->unsampled_ns : 0;
    process.unsampled_wait_ns = part->with_unsampled ? part->series->unsampled_wait_ns : 0;
    profile.processes = &process;
    profile.threads = &thread;
    profile.process_count = profile.thread_count = 1;
    profile.samples = part->samples;
    profile.sample_count = part->count;
    profile.instants = (struct instants){0};
    profile.mark_count = 0;
    profile.command = NULL;
    *bytes = NULL;
    FILE *stream = open_memstream(bytes, size);
    if (!stream)
        return -ENOMEM;
    int result = stored_pprof_write_bare(&profile, stream);
    return fclose(stream) != 0 && !result ? -ENOMEM : result;
}

static uint32_t unpacked_size(const char *bytes, size_t size)
{
    uint32_t unpacked = 0;
    if (size >= sizeof unpacked) /* gzip's trailer ends with it */
        memcpy(&unpacked, bytes + size - sizeof unpacked, sizeof unpacked);
    return le32toh(unpacked);
}

/* Keeps the half of the stack near the leaf. Returns false if only one frame is left. */
static bool shorten(struct profile_sample *sample)
{
    if (sample->frame_count <= 1)
        return false;
    sample->frame_count = (sample->frame_count + 1) / 2;
    sample->cut = PROFILE_MERGED;
    return true;
}

/* Passes PART on, in halves if it is too large. */
static int give(const struct giving *giving, struct part part)
{
    char *bytes;
    size_t size = 0;
    int result = 0;
    bool large = part.count > PIECES_SAMPLES;
    if (!large) {
        result = write_part(giving->profile, &part, &bytes, &size);
        large = !result && unpacked_size(bytes, size) > PIECES_BYTES;
        if (!result && (!large || (part.count <= 1 && !shorten(part.samples))))
            result = giving->take(giving->of, part.series->like, bytes, size);
        else if (!result && part.count == 1)
            result = give(giving, part);
        free(bytes);
    }
    if (result || !large || part.count <= 1)
        return result;
    struct part second = {part.series, part.samples + part.count / 2, part.count - part.count / 2, false};
    part.count /= 2;
    result = give(giving, part);
    return result ? result : give(giving, second);
}

static int give_series(void *of, const struct pieces_series *series)
{
    return give(of, (struct part){series, series->samples, series->count, true});
}

int pieces_cut(const struct profile *profile, pieces_taker *take, void *of)
{
    struct giving giving = {profile, take, of};
    return pieces_each(profile, give_series, &giving);
}

/* Returns series INDEX, with its samples in SAMPLES. */
static struct pieces_series collect(const struct cutter *cutter, uint32_t index, struct profile_sample *samples)
{
    const struct series *series = &cutter->series[index];
    struct pieces_series all = {series->like, samples, 0, series->unsampled_ns, series->unsampled_wait_ns};
    for (size_t i = 0; i < cutter->distinct.count; i++) {
        if (cutter->series_of_kinds[kind_of(cutter, &cutter->distinct.items[i])] != index)
            continue;
        samples[all.count] = cutter->distinct.items[i];
        samples[all.count++].thread = 0;
    }
    return all;
}

int pieces_each(const struct profile *profile, pieces_series_taker *take, void *of)
{
    struct cutter cutter = {.profile = profile};
    if (distinct_init_labelled(&cutter.distinct, profile) < 0)
        return -ENOMEM;
    struct profile_sample *samples = malloc((cutter.distinct.count + 1) * sizeof *samples);
    int result = samples ? find_series(&cutter) : -ENOMEM;
    for (uint32_t i = 0; !result && i < cutter.series_count; i++) {
        if (!cutter.series[i].ns)
            continue;
        struct pieces_series series = collect(&cutter, i, samples);
        result = take(of, &series);
    }
    free(samples);
    free(cutter.series);
    free(cutter.series_of_kinds);
    distinct_fini(&cutter.distinct);
    return result;
}
