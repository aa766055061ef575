/* SPDX-License-Identifier: MIT
 *
 * Differences between the ranks of a parallel job: the least, median and largest time of a rank in each row of the flat
 * profile. Writes tables for people, CSV and JSON. */
#ifndef REPORT_SPREAD_H
#define REPORT_SPREAD_H

#include "profile/profile/writer.h"

#include <stddef.h>
#include <stdint.h>

struct buffer;
struct profile;

struct spread_row {
    char *name, *detail;     /* owned */
    uint64_t *ns;            /* for each rank, by its index in spread.ranks; owned */
    uint64_t sum_ns;         /* of all ranks */
    uint64_t min_ns, max_ns; /* sum of all ranks */
    uint64_t median_ns;
    uint64_t imbalance_ns; /* how much longer than the average the slowest rank took: other ranks may wait this long for
                            * it */
    size_t min, max;       /* indices of ranks; of equal ones, the first */
};

/* The time of one rank by kind. */
struct spread_rank {
    uint32_t number;
    uint64_t ns;           /* all of it */
    uint64_t computing_ns; /* neither in MPI nor in input and output */
    uint64_t mpi_ns, io_ns;
};

struct spread {
    struct spread_row *rows;
    size_t row_count;
    struct spread_rank *ranks; /* by number */
    size_t rank_count;
    uint64_t waiting_ns; /* time in collective calls beyond that of the fastest rank in the call: an estimate of waiting
                            for others */
};

/* Computes SPREAD for the processes of PROFILE that are ranks, with rows by options->by, in the order of
 * options->sort. Returns 0; -ENODATA if no process is a rank; -ENOMEM. Free with spread_fini in either case. */
int spread_init(struct spread *spread, const struct profile *profile, const struct report_options *options);
void spread_fini(struct spread *spread);

/* The numbers of ROW of SPREAD by name, for CSV and JSON. */
#define SPREAD_COLUMNS(COLUMN)                                                                                         \
    COLUMN("mean_ns", row->sum_ns / spread->rank_count)                                                                \
    COLUMN("min_ns", row->min_ns)                                                                                      \
    COLUMN("min_rank", spread->ranks[row->min].number)                                                                 \
    COLUMN("median_ns", row->median_ns)                                                                                \
    COLUMN("max_ns", row->max_ns)                                                                                      \
    COLUMN("max_rank", spread->ranks[row->max].number)                                                                 \
    COLUMN("imbalance_ns", row->imbalance_ns)                                                                          \
    COLUMN("sum_ns", row->sum_ns)

/* Times add up to the time of the profile's ranks, which the heading shows. */
report_writer spread_write_text, spread_write_csv;

/* Appends the members "spread" and "rows" of a JSON object to OUT, which it writes to STREAM when it is full. Without
 * ranks, both are empty. Returns as a report_writer. */
int spread_put_json(struct buffer *out, const struct profile *profile, const struct report_options *options,
                    FILE *stream);

#endif
