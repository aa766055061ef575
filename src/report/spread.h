/* SPDX-License-Identifier: MIT
 *
 * Differences between the ranks of a parallel job: for each row of the flat profile the least, the median and the
 * largest time that a rank spent in it. Writes tables for people and CSV. */
#ifndef REPORT_SPREAD_H
#define REPORT_SPREAD_H

#include "profile/profile.h"
#include "profile/writer.h"

#include <stddef.h>
#include <stdint.h>

struct spread_row {
    char *name, *detail;     /* owned */
    uint64_t *ns;            /* for each rank, by its index in spread.ranks; owned */
    uint64_t sum_ns;         /* of all ranks */
    uint64_t min_ns, max_ns; /* of the ranks below */
    uint64_t median_ns;
    size_t min, max; /* indices of ranks; the first of several equal ones */
};

/* Where the time of one rank went. */
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

/* Returns how much longer than the mean the slowest rank took for ROW: the time that others may wait for it. */
uint64_t spread_imbalance_ns(const struct spread *spread, const struct spread_row *row);

/* Times add up to the time of the profile's ranks, which the heading shows. */
report_writer spread_write_text, spread_write_csv;

#endif
