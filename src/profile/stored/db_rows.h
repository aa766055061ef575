/* SPDX-License-Identifier: MIT
 *
 * Rows of a profile for databases: one line of JSON for each program, rank and stack. Each row is complete, and a table
 * can contain rows of many profiles. */
#ifndef STORED_DB_ROWS_H
#define STORED_DB_ROWS_H

#include <stddef.h>

struct profile;

/* Additional values in the rows. NULL: the profile's value, or "" if it has none. */
struct db_rows_about {
    const char *service; /* NULL: the unit of the process, or else its name */
    const char *process;
    const char *host;
    const char *labels; /* a JSON array of texts "NAME=VALUE"; NULL: an empty array */
};

enum { DB_ROW_MOST_BYTES = 1 << 20 }; /* bytes of a row; deeper stacks lose frames at their roots */

/* Receives a row: LENGTH bytes of LINE, which ends with a newline. Returns 0, or -errno, which ends the work. */
typedef int db_row_receiver(void *of, const char *line, size_t length);

/* Passes the rows of PROFILE to RECEIVE, with OF. They have no process numbers and no command lines, and add up to
 * PROFILE. Equal profiles give equal rows. Returns 0, -ENOMEM, or the result of RECEIVE. */
int db_rows_each(const struct profile *profile, const struct db_rows_about *about, db_row_receiver *receive, void *of);

#endif
