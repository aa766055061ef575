/* SPDX-License-Identifier: MIT
 *
 * Collects the rows of a table from the samples of a profile. */
#ifndef REPORT_FLAT_ROWS_H
#define REPORT_FLAT_ROWS_H

#include "profile/report/report.h"

struct table_rows;

/* Splits rows that would otherwise be one. */
enum table_split {
    TABLE_SPLIT_NUMBERS = 1, /* by process and by thread: a row for each number, with the pid or pid/tid as second text;
                              * otherwise, equal names share a row */
    TABLE_SPLIT_CALLERS = 2  /* by function: time in a system call has a row for each calling function, see
                              * wait_text_put */
};

/* Adds the rows of PROFILE by BY to ROWS, unsorted. Includes functions, modules and lines that only called others.
 * SPLIT: bits of table_split. Returns 0 or -ENOMEM. */
int table_collect(struct table_rows *rows, const struct profile *profile, enum report_by by, unsigned split);

/* Like table_collect, but sorted by OPTIONS, and in a comparison with the base's numbers. In a comparison, names
 * identify processes and threads, whatever SPLIT is, because their numbers differ in each run. */
int table_collect_sorted(struct table_rows *rows, const struct profile *profile, enum report_by by,
                         const struct report_options *options, unsigned split);

#endif
