/* SPDX-License-Identifier: MIT
 *
 * Rows: times and samples added up for each pair of texts. */
#ifndef REPORT_ROWS_H
#define REPORT_ROWS_H

#include "common/base/hash.h"
#include "profile/profile/noise.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct row {
    char *name, *detail; /* owned by the rows; both together are the key; never NULL in a set */
    uint64_t samples;
    uint64_t user_ns, system_ns;     /* sampled CPU time */
    uint64_t unsampled_ns;           /* unsampled CPU time */
    uint64_t estimated_ns;           /* estimated part of its self time */
    uint64_t waiting_ns;             /* time without a CPU */
    uint64_t below_ns;               /* time of samples with this row as a caller, but not as their leaf */
    uint64_t below_samples;          /* number of these samples */
    uint64_t touched;                /* the last of these samples, so that a recursive call counts once */
    uint64_t base_ns, base_total_ns; /* times of this row in the base of a comparison */
    uint64_t base_samples, base_total_samples;
    bool by_chance, total_by_chance; /* chance alone explains the change, see rows_judge */
    bool left_out;                   /* rows_cut omits it from the table */
};

/* Zero it before the first use. */
struct rows {
    struct row *items;
    size_t count, room;
    struct hash index;
};

void rows_fini(struct rows *rows);

/* Returns the row with NAME and DETAIL, which are copied; a new row is empty. Valid until the next call. NULL if
 * memory runs out, and after rows_sort. */
struct row *rows_get(struct rows *rows, const char *name, const char *detail);

/* Return the self time (row_ns) or the total time of ROW: running and waiting. */
uint64_t row_ns(const struct row *row);
uint64_t row_total_ns(const struct row *row);

/* Return by how much ROW's self time, or its total time, exceeds the base's; negative if it is less. */
int64_t row_change_ns(const struct row *row);
int64_t row_total_change_ns(const struct row *row);

/* Adds the numbers of MORE to SUM. */
void row_add(struct row *sum, const struct row *more);

/* Sorts by falling self time, then by falling total time, then by name and detail. So a profile always gives the same
 * table. */
void rows_sort(struct rows *rows);

/* Sorts by falling total time, then by falling self time, then by name and detail. */
void rows_sort_by_total(struct rows *rows);

/* Sorts by the absolute change of self time, largest first; then by the absolute change of total time, then by name and
 * detail. */
void rows_sort_by_change(struct rows *rows);

/* Marks the changes in ROWS that chance explains. */
void rows_judge(struct rows *rows, const struct noise *noise);

/* Sorts by name and detail. */
void rows_sort_by_name(struct rows *rows);

/* Limits for the shown rows of a table. */
struct rows_limits {
    size_t most;        /* largest number of rows; 0: any */
    double min_percent; /* percent of whole_ns: the least total, or the least change if rows are changes */
    uint64_t whole_ns;
    bool changes; /* rows are changes: omit those that chance explains, unless min_percent is 0 */
    bool own;     /* only rows with time of their own */
};

/* Marks the sorted ROWS that LIMITS omit. Sets REST to their sum (its texts are NULL), and returns their number. A
 * single omitted row with self time is shown, because the sum would also take a line. */
size_t rows_cut(struct rows *rows, const struct rows_limits *limits, struct row *rest);

#endif
