/* SPDX-License-Identifier: MIT
 *
 * The rows of the flat profile. */
#ifndef REPORT_FLAT_ROWS_H
#define REPORT_FLAT_ROWS_H

#include "report/report.h"
#include "report/rows.h"

/* Adds to ROWS those of PROFILE by BY, in no order, also of functions and modules that only called others.
 * With NUMBERS, processes and threads are told apart by their numbers, else only by name. Returns 0 or
 * -ENOMEM. */
int flat_rows(struct rows *rows, const struct profile *profile, enum report_by by, bool numbers);

/* Adds to ROWS, those of what is compared with BASE, the numbers of the same rows of BASE. Processes and threads are others
 * in each run: their names are compared. Returns 0 or -ENOMEM. */
int flat_rows_of_base(struct rows *rows, const struct profile *base, enum report_by by);

#endif
