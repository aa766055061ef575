/* SPDX-License-Identifier: MIT
 *
 * A table of a profile, for people. */
#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include "profile/report/report.h"

struct buffer;
struct table_form;
struct table_rows;

/* Returns true if waiting threads were sampled, in PROFILE or in the base of a comparison. */
bool table_is_wall(const struct profile *profile, const struct report_options *options);

/* Returns the titles of a table BY, and the cutters of its texts; rest_hint is the
 * usual one, and all other members are zero. */
struct table_form table_form_by(enum report_by by);

/* Appends a table of PROFILE. FORM sets the titles, the number of rows and the columns; its rows are set here.
 * Returns 0 or -ENOMEM. */
int table_put(struct buffer *out, const struct profile *profile, enum report_by by, struct table_form form,
              const struct report_options *options);

/* Fills ROWS, which is zeroed, with the rows of such a table. The caller frees them in any case. For a profile of wall
 * time, they include the callers of waits. Returns 0 or -ENOMEM. */
int table_fill(struct table_rows *rows, const struct profile *profile, enum report_by by,
               const struct report_options *options);

/* Like table_put, with ROWS from table_fill. */
void table_put_filled(struct buffer *out, struct table_rows *rows, const struct profile *profile, enum report_by by,
                      struct table_form form, const struct report_options *options);

#endif
