/* SPDX-License-Identifier: MIT
 *
 * gmon.out, for gprof: a histogram of one object's text, by the ELF virtual address of the innermost frame. As with
 * profil(2), time in a system call is billed to the instruction that made the call. The file has no call arcs.
 *
 * The unit is the tick, a second divided by the profile's rate. Rounding carries over from bin to bin, so the sum of
 * any address range is right to one tick. */
#include "profile/report/report.h"

#include "common/base/array.h"
#include "common/text/text.h"
#include "profile/profile/profile.h"
#include "profile/report/gmon_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_BINS = 8 << 20, /* 16 MiB for each record; larger texts get coarser bins */
    MOST_RECORDS = 32,   /* beyond this number, ticks get coarser instead */
    DEFAULT_RATE = 100,  /* if the profile's rate is unknown */
};

/* A bin that is not empty. */
struct bin {
    uint64_t number; /* counted from low */
    uint64_t ns;
};

struct histogram {
    uint64_t low, high; /* high - low is bins * bin_bytes */
    uint64_t bins, bin_bytes;
    struct bin *items; /* by rising number */
    size_t count, room;
};

/* The finest bins have two bytes, gprof's unit; coarser ones have 4, 8 and so on. */
static int init_range(struct histogram *histogram, const struct profile_module *module)
{
    if (module->text_end <= module->text_start || module->text_end > INT64_MAX)
        return -EINVAL;
    histogram->low = module->text_start & ~(uint64_t)1;
    uint64_t size = module->text_end - histogram->low;
    histogram->bin_bytes = 2;
    while ((size - 1) / histogram->bin_bytes >= MOST_BINS)
        histogram->bin_bytes *= 2;
    histogram->bins = (size + histogram->bin_bytes - 1) / histogram->bin_bytes;
    histogram->high = histogram->low + histogram->bins * histogram->bin_bytes;
    return 0;
}

static int by_number(const void *left, const void *right)
{
    const struct bin *a = left, *b = right;
    return a->number < b->number ? -1 : a->number > b->number;
}

static void merge_equal(struct histogram *histogram)
{
    size_t kept = 0;
    if (histogram->count)
        qsort(histogram->items, histogram->count, sizeof *histogram->items, by_number);
    for (size_t i = 0; i < histogram->count; i++)
        if (kept && histogram->items[kept - 1].number == histogram->items[i].number)
            histogram->items[kept - 1].ns += histogram->items[i].ns;
        else
            histogram->items[kept++] = histogram->items[i];
    histogram->count = kept;
}

/* Ignores addresses outside of the text, which have no bin. */
static int collect(struct histogram *histogram, const struct profile *profile, uint32_t module)
{
    for (size_t i = 0; i < profile->sample_count; i++) {
        const struct profile_sample *sample = &profile->samples[i];
        const struct profile_location *leaf = &profile->locations[profile->frames[sample->frame_first]];
        if (leaf->module != module || leaf->address < histogram->low || leaf->address >= histogram->high)
            continue;
        if (!ARRAY_RESERVE_ONE(histogram))
            return -ENOMEM;
        uint64_t number = (leaf->address - histogram->low) / histogram->bin_bytes;
        histogram->items[histogram->count++] = (struct bin){.number = number, .ns = profile_sample_ns(sample)};
    }
    merge_equal(histogram);
    return 0;
}

/* Turns times into ticks of RATE. */
static void count_ticks(const struct histogram *histogram, struct gmon_histogram *file, uint32_t rate)
{
    uint64_t passed_ns = 0, given = 0;
    file->rate = rate;
    for (size_t i = 0; i < histogram->count; i++) {
        passed_ns += histogram->items[i].ns;
        uint64_t ticks = text_scaled(passed_ns, rate, 1000000000) - given;
        file->items[i] = (struct gmon_bin){histogram->items[i].number, ticks};
        given += ticks;
    }
}

static int put_histogram(const struct histogram *histogram, uint32_t rate, bool is_compat, FILE *stream)
{
    struct gmon_histogram file = {.low = histogram->low, .high = histogram->high, .bins = histogram->bins};
    file.is_compat = is_compat;
    file.count = histogram->count;
    file.items = calloc(file.count + 1, sizeof *file.items);
    if (!file.items)
        return -ENOMEM;
    count_ticks(histogram, &file, rate);
    while (gmon_records(&file) > MOST_RECORDS && file.rate > 1)
        count_ticks(histogram, &file, file.rate / 2);
    int result = gmon_write(&file, stream);
    free(file.items);
    return result;
}

int report_gmon_write(const struct profile *profile, uint32_t module, FILE *stream)
{
    struct histogram histogram = {0};
    int result = init_range(&histogram, &profile->modules[module]);
    if (!result)
        result = collect(&histogram, profile, module);
    if (!result)
        result = put_histogram(&histogram, profile->quality.rate ? profile->quality.rate : DEFAULT_RATE,
                               profile->modules[module].is_compat, stream);
    free(histogram.items);
    return result;
}
