/* SPDX-License-Identifier: MIT
 *
 * The rows of the flat profile. */
#ifndef REPORT_FLAT_ROWS_H
#define REPORT_FLAT_ROWS_H

#include "report/report.h"
#include "report/rows.h"

/* Adds to ROWS those of PROFILE by BY, in no order, also of functions, modules and lines that only called others.
 * With NUMBERS, processes and threads are told apart by their numbers, else only by name. Returns 0 or
 * -ENOMEM. */
int flat_rows(struct rows *rows, const struct profile *profile, enum report_by by, bool numbers);

/* The same sorted as OPTIONS has it, with the numbers of the same rows of what it compares with, if it does: processes
 * and threads are others in each run, and are told apart by their names then. */
int flat_rows_sorted(struct rows *rows, const struct profile *profile, enum report_by by,
                     const struct report_options *options);

#endif
