/* SPDX-License-Identifier: MIT
 *
 * The rows of the flat profile. */
#ifndef REPORT_FLAT_ROWS_H
#define REPORT_FLAT_ROWS_H

#include "report/report.h"
#include "report/rows.h"

/* What rows tell apart: processes and threads by their numbers, not by name alone; and time in system calls by the
 * function that called them, see waiting_put. */
enum flat_detail { FLAT_NUMBERS = 1, FLAT_CALLERS = 2 };

/* Adds to ROWS those of PROFILE by BY, in no order, also of functions, modules and lines that only called others.
 * DETAIL has bits of flat_detail. Returns 0 or -ENOMEM. */
int flat_rows(struct rows *rows, const struct profile *profile, enum report_by by, unsigned detail);

/* The same sorted as OPTIONS has it, with the numbers of the same rows of what it compares with, if it does: processes
 * and threads are others in each run, and are told apart by their names then, whatever DETAIL. */
int flat_rows_sorted(struct rows *rows, const struct profile *profile, enum report_by by,
                     const struct report_options *options, unsigned detail);

#endif
