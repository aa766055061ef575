/* SPDX-License-Identifier: MIT
 *
 * A table of a profile, for people. */
#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include "base/buffer.h"
#include "report/grid.h"
#include "report/report.h"

/* Returns the titles of a table BY, and how its texts are cut; all else of it is zero. */
struct grid table_by(enum report_by by);

/* Sets the hints of FORM: how the rows that a table BY leaves out are to be seen. */
void table_hint_rows(struct grid *form, enum report_by by, const struct report_options *options);

/* Appends a table of PROFILE. FORM says by what titles, how many rows and which columns; its rows are set here.
 * Returns 0 or -ENOMEM. */
int table_put(struct buffer *out, const struct profile *profile, enum report_by by, struct grid form,
              const struct report_options *options);

/* Fills ROWS, which need only be zeroed, with those of such a table; to be freed in any case. Of a profile of wall time
 * they tell who waits. Returns 0 or -ENOMEM. */
int table_rows(struct rows *rows, const struct profile *profile, enum report_by by,
               const struct report_options *options);

/* The same as table_put, of ROWS from table_rows. */
void table_put_rows(struct buffer *out, struct rows *rows, const struct profile *profile, enum report_by by,
                    struct grid form, const struct report_options *options);

#endif
