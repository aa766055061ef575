/* SPDX-License-Identifier: MIT
 *
 * Rows: times and samples added up for each pair of texts. */
#ifndef REPORT_ROWS_H
#define REPORT_ROWS_H

#include "common/base/hash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct noise;

struct table_row {
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
    bool by_chance, total_by_chance; /* chance alone explains the change, see table_rows_judge */
    bool left_out;                   /* table_rows_cut omits it from the table */
};

/* Zero it before the first use. */
struct table_rows {
    struct table_row *items;
    size_t count, room;
    struct hash index;
};

void table_rows_fini(struct table_rows *rows);

/* Returns the row with NAME and DETAIL, which are copied; a new row is empty. Valid until the next call. NULL if
 * memory runs out, and after table_rows_sort. */
struct table_row *table_rows_get(struct table_rows *rows, const char *name, const char *detail);

/* Return the self time (table_row_ns) or the total time of ROW: running and waiting. */
uint64_t table_row_ns(const struct table_row *row);
uint64_t table_row_total_ns(const struct table_row *row);

/* Return by how much ROW's self time, or its total time, exceeds the base's; negative if it is less. */
int64_t table_row_change_ns(const struct table_row *row);
int64_t table_row_total_change_ns(const struct table_row *row);

/* Adds the numbers of MORE to SUM. */
void table_row_add(struct table_row *sum, const struct table_row *more);

/* Sorts by falling self time, then by falling total time, then by name and detail. So a profile always gives the same
 * table. */
void table_rows_sort(struct table_rows *rows);

/* Sorts by falling total time, then by falling self time, then by name and detail. */
void table_rows_sort_by_total(struct table_rows *rows);

/* Sorts by the absolute change of self time, largest first; then by the absolute change of total time, then by name and
 * detail. */
void table_rows_sort_by_change(struct table_rows *rows);

/* Marks the changes in ROWS that chance explains. */
void table_rows_judge(struct table_rows *rows, const struct noise *noise);

/* Sorts by name and detail. */
void table_rows_sort_by_name(struct table_rows *rows);

/* Limits for the shown rows of a table. */
struct table_rows_limits {
    size_t most;        /* largest number of rows; 0: any */
    double min_percent; /* percent of whole_ns: the least total, or the least change if rows are changes */
    uint64_t whole_ns;
    bool changes; /* rows are changes: omit those that chance explains, unless min_percent is 0 */
    bool own;     /* only rows with time of their own */
};

/* Marks the sorted ROWS that LIMITS omit. Sets REST to their sum (its texts are NULL), and returns their number. A
 * single omitted row with self time is shown, because the sum would also take a line. */
size_t table_rows_cut(struct table_rows *rows, const struct table_rows_limits *limits, struct table_row *rest);

#endif
