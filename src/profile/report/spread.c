/* SPDX-License-Identifier: MIT */
#include "profile/report/spread.h"

#include "common/base/array.h"
#include "profile/profile/label.h"
#include "profile/profile/mpi.h"
#include "profile/profile/profile.h"
#include "profile/report/table_collect.h"
#include "profile/report/table_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* State while the rows of each rank are added to the rows of all ranks. */
struct spreading {
    struct spread *spread;
    const struct profile *profile;
    const struct report_options *options;
    struct table_rows all; /* in the order of spread->rows */
    uint32_t *places;      /* for each process, the index of its rank; PROFILE_NONE: not a rank */
    struct mpi mpi;
    uint64_t *collective_ns; /* for each function and rank */
};

static int by_number(const void *one, const void *other)
{
    uint32_t a = ((const struct spread_rank *)one)->number, b = ((const struct spread_rank *)other)->number;
    return (a > b) - (a < b);
}

static uint32_t place_of_rank(const struct spread *spread, uint32_t number)
{
    const struct spread_rank key = {.number = number},
                             *found = bsearch(&key, spread->ranks, spread->rank_count, sizeof key, by_number);
    return found ? (uint32_t)(found - spread->ranks) : PROFILE_NONE;
}

static int find_ranks(struct spreading *spreading)
{
    struct spread *spread = spreading->spread;
    const struct profile *profile = spreading->profile;
    size_t count = 0;
    spread->ranks = calloc(profile->process_count + 1, sizeof *spread->ranks);
    spreading->places = calloc(profile->process_count + 1, sizeof *spreading->places);
    if (!spread->ranks || !spreading->places)
        return -ENOMEM;
    for (size_t i = 0; i < profile->process_count; i++)
        if (profile->processes[i].rank.known)
            spread->ranks[count++].number = profile->processes[i].rank.number;
    qsort(spread->ranks, count, sizeof *spread->ranks, by_number);
    for (size_t i = 0; i < count; i++)
        if (!i || spread->ranks[i].number != spread->ranks[spread->rank_count - 1].number)
            spread->ranks[spread->rank_count++] = spread->ranks[i];
    for (size_t i = 0; i < profile->process_count; i++)
        spreading->places[i] =
            profile->processes[i].rank.known ? place_of_rank(spread, profile->processes[i].rank.number) : PROFILE_NONE;
    return spread->rank_count ? 0 : -ENODATA;
}

/* Adds SAMPLE to the times of its rank, at index PLACE. */
static void add_kind(struct spreading *spreading, uint32_t place, const struct profile_sample *sample)
{
    struct spread_rank *rank = &spreading->spread->ranks[place];
    uint64_t ns = profile_sample_ns(sample);
    uint32_t call = mpi_call_of(&spreading->mpi, spreading->profile, sample);
    enum mpi_kind kind = call == PROFILE_NONE ? MPI_NOT : (enum mpi_kind)spreading->mpi.kinds[call];
    if (kind == MPI_IO || (kind == MPI_NOT && mpi_is_io(sample)))
        rank->io_ns += ns;
    else if (kind != MPI_NOT)
        rank->mpi_ns += ns;
    else
        rank->computing_ns += ns;
    if (kind == MPI_COLLECTIVE)
        spreading->collective_ns[call * spreading->spread->rank_count + place] += ns;
}

static void add_kinds(struct spreading *spreading)
{
    const struct profile *profile = spreading->profile;
    for (size_t i = 0; i < profile->sample_count; i++) {
        uint32_t place = spreading->places[profile->threads[profile->samples[i].thread].process];
        if (place != PROFILE_NONE)
            add_kind(spreading, place, &profile->samples[i]);
    }
    for (size_t i = 0; i < profile->process_count; i++) {
        const struct profile_process *process = &profile->processes[i];
        if (spreading->places[i] != PROFILE_NONE)
            spreading->spread->ranks[spreading->places[i]].ns += process->cpu_ns + process->wait_ns;
    }
}

static void add_waiting(struct spreading *spreading)
{
    size_t ranks = spreading->spread->rank_count;
    for (size_t f = 0; f < spreading->profile->function_count; f++) {
        const uint64_t *ns = &spreading->collective_ns[f * ranks];
        uint64_t least = ns[0];
        for (size_t i = 1; i < ranks; i++)
            least = ns[i] < least ? ns[i] : least;
        for (size_t i = 0; i < ranks; i++)
            spreading->spread->waiting_ns += ns[i] - least;
    }
}

/* Returns the row for all ranks with the texts of ROW, with room for each rank's time. */
static struct spread_row *row_like(struct spreading *spreading, const struct table_row *row)
{
    struct spread *spread = spreading->spread;
    struct table_row *all = table_rows_get(&spreading->all, row->name, row->detail);
    if (!all)
        return NULL;
    size_t index = (size_t)(all - spreading->all.items);
    if (index < spread->row_count)
        return &spread->rows[index];
    if ((index & (index - 1)) == 0) { /* the allocated size is the next power of two */
        struct spread_row *more = realloc(spread->rows, (index ? 2 * index : 1) * sizeof *more);
        if (!more)
            return NULL;
        spread->rows = more;
    }
    struct spread_row added = {
        .name = strdup(row->name), .detail = strdup(row->detail), .ns = calloc(spread->rank_count, sizeof *added.ns)};
    spread->rows[spread->row_count++] = added;
    return added.name && added.detail && added.ns ? &spread->rows[index] : NULL;
}

static uint32_t place_of_sample(const struct spreading *spreading, size_t i)
{
    return spreading->places[spreading->profile->threads[spreading->profile->samples[i].thread].process];
}

/* Adds or removes the unsampled time of the process at index I of VIEW. */
static void put_unsampled(const struct spreading *spreading, struct profile *view, size_t i, bool is_seen)
{
    const struct profile_process *process = &spreading->profile->processes[i];
    view->processes[i].unsampled_ns = is_seen ? process->unsampled_ns : 0;
    view->processes[i].unsampled_wait_ns = is_seen ? process->unsampled_wait_ns : 0;
}

/* Adds the rows of the rank at index PLACE. VIEW: the profile with the rank's samples only, and without time that no
 * sample represents. */
static int add_rank(struct spreading *spreading, size_t place, struct profile *view)
{
    struct table_rows rows = {0};
    for (size_t i = 0; i < view->process_count; i++)
        if (spreading->places[i] == place)
            put_unsampled(spreading, view, i, true);
    int result = table_collect(&rows, view, spreading->options->by, 0);
    for (size_t i = 0; i < rows.count && !result; i++) {
        const struct table_row *row = &rows.items[i];
        struct spread_row *all = row_like(spreading, row);
        if (all)
            all->ns[place] +=
                spreading->options->sort == REPORT_SORT_TOTAL ? table_row_total_ns(row) : table_row_ns(row);
        result = all ? 0 : -ENOMEM;
    }
    for (size_t i = 0; i < view->process_count; i++)
        if (spreading->places[i] == place)
            put_unsampled(spreading, view, i, false);
    table_rows_fini(&rows);
    return result;
}

/* Puts the samples of each rank together: those of the rank at index PLACE are SAMPLES[ENDS[PLACE - 1]] up to
 * SAMPLES[ENDS[PLACE]]. ENDS is zeroed. */
static void sort_samples(const struct spreading *spreading, struct profile_sample *samples, size_t *ends)
{
    const struct profile *profile = spreading->profile;
    size_t ranks = spreading->spread->rank_count, begin = 0;
    for (size_t i = 0; i < profile->sample_count; i++)
        if (place_of_sample(spreading, i) != PROFILE_NONE)
            ends[place_of_sample(spreading, i)]++;
    for (size_t place = 0; place < ranks; place++) {
        size_t count = ends[place];
        ends[place] = begin;
        begin += count;
    }
    for (size_t i = 0; i < profile->sample_count; i++)
        if (place_of_sample(spreading, i) != PROFILE_NONE)
            samples[ends[place_of_sample(spreading, i)]++] = profile->samples[i];
}

static int add_rows(struct spreading *spreading)
{
    const struct profile *profile = spreading->profile;
    struct profile view = *profile;
    struct profile_sample *samples = malloc((profile->sample_count + 1) * sizeof *samples);
    size_t *ends = calloc(spreading->spread->rank_count, sizeof *ends);
    view.processes = malloc((view.process_count + 1) * sizeof *view.processes);
    int result = samples && ends && view.processes ? 0 : -ENOMEM;
    for (size_t i = 0; i < view.process_count && !result; i++) {
        view.processes[i] = profile->processes[i];
        put_unsampled(spreading, &view, i, false);
    }
    if (!result)
        sort_samples(spreading, samples, ends);
    for (size_t i = 0; i < spreading->spread->rank_count && !result; i++) {
        view.samples = samples + (i ? ends[i - 1] : 0);
        view.sample_count = ends[i] - (i ? ends[i - 1] : 0);
        result = add_rank(spreading, i, &view);
    }
    free(samples);
    free(ends);
    free(view.processes);
    return result;
}

static int by_ns(const void *one, const void *other)
{
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return (a > b) - (a < b);
}

/* SORTED: room for the times of all ranks. */
static void summarize(struct spread_row *row, size_t count, uint64_t *sorted)
{
    for (size_t i = 0; i < count; i++) {
        row->sum_ns += row->ns[i];
        row->min = row->ns[i] < row->ns[row->min] ? i : row->min;
        row->max = row->ns[i] > row->ns[row->max] ? i : row->max;
    }
    row->min_ns = row->ns[row->min];
    row->max_ns = row->ns[row->max];
    memcpy(sorted, row->ns, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_ns);
    uint64_t mean_ns = row->sum_ns / count;
    row->imbalance_ns = row->max_ns > mean_ns ? row->max_ns - mean_ns : 0;
    row->median_ns = count % 2 ? sorted[count / 2] : sorted[count / 2 - 1] / 2 + sorted[count / 2] / 2;
}

/* Sorts by falling sum, which is the order of the averages; then by name. */
static int by_sum(const void *one, const void *other)
{
    const struct spread_row *a = one, *b = other;
    int names = strcmp(a->name, b->name);
    return a->sum_ns != b->sum_ns ? (a->sum_ns < b->sum_ns ? 1 : -1) : names ? names : strcmp(a->detail, b->detail);
}

static int by_imbalance(const void *one, const void *other)
{
    uint64_t a = ((const struct spread_row *)one)->imbalance_ns, b = ((const struct spread_row *)other)->imbalance_ns;
    return a != b ? (a < b ? 1 : -1) : by_sum(one, other);
}

int spread_init(struct spread *spread, const struct profile *profile, const struct report_options *options)
{
    struct spreading spreading = {.spread = spread, .profile = profile, .options = options};
    memset(spread, 0, sizeof *spread);
    int result = find_ranks(&spreading);
    if (!result)
        result = mpi_init(&spreading.mpi, profile);
    spreading.collective_ns =
        result ? NULL : calloc(profile->function_count * spread->rank_count + 1, sizeof(uint64_t));
    uint64_t *sorted = result ? NULL : malloc(spread->rank_count * sizeof *sorted);
    if (!result && (!spreading.collective_ns || !sorted))
        result = -ENOMEM;
    if (!result) {
        add_kinds(&spreading);
        add_waiting(&spreading);
        result = add_rows(&spreading);
    }
    for (size_t i = 0; i < spread->row_count && !result; i++)
        summarize(&spread->rows[i], spread->rank_count, sorted);
    if (!result && spread->row_count)
        qsort(spread->rows, spread->row_count, sizeof *spread->rows,
              options->sort == REPORT_SORT_IMBALANCE ? by_imbalance : by_sum);
    table_rows_fini(&spreading.all);
    mpi_fini(&spreading.mpi);
    free(spreading.places);
    free(spreading.collective_ns);
    free(sorted);
    return result;
}

void spread_fini(struct spread *spread)
{
    for (size_t i = 0; i < spread->row_count; i++) {
        free(spread->rows[i].name);
        free(spread->rows[i].detail);
        free(spread->rows[i].ns);
    }
    free(spread->rows);
    free(spread->ranks);
    memset(spread, 0, sizeof *spread);
}
