/* SPDX-License-Identifier: MIT
 *
 * The rows of the flat profile. */
#ifndef REPORT_FLAT_ROWS_H
#define REPORT_FLAT_ROWS_H

#include "profile/report/report.h"
#include "profile/report/rows.h"

/* Separate rows for processes and threads with different numbers, not only different names (FLAT_NUMBERS); for time in
 * system calls by calling function, see waiting_put (FLAT_CALLERS). */
enum flat_detail { FLAT_NUMBERS = 1, FLAT_CALLERS = 2 };

/* Adds the rows of PROFILE by BY to ROWS, unsorted. Includes functions, modules and lines that only called others.
 * DETAIL: bits of flat_detail. Returns 0 or -ENOMEM. */
int flat_rows(struct rows *rows, const struct profile *profile, enum report_by by, unsigned detail);

/* Like flat_rows, but sorted by OPTIONS, and in a comparison with the base's numbers. In a comparison, names identify
 * processes and threads, whatever DETAIL is, because their numbers differ in each run. */
int flat_rows_sorted(struct rows *rows, const struct profile *profile, enum report_by by,
                     const struct report_options *options, unsigned detail);

#endif
