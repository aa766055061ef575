/* SPDX-License-Identifier: MIT
 *
 * A profile as rows for databases: a line of JSON for each program, rank and stack. Each row is complete, and a table
 * can have the rows of many profiles. */
#ifndef STORED_ROWS_H
#define STORED_ROWS_H

#include "profile/profile.h"

#include <stddef.h>

/* What the rows of a profile say beside it. NULL: what the profile knows; "" if it knows nothing. */
struct rows_about {
    const char *service; /* NULL: the process's name */
    const char *process;
    const char *host;
    const char *labels; /* an array of texts "NAME=VALUE", as JSON; NULL: an empty one */
};

enum { ROWS_MOST_BYTES = 1 << 20 }; /* of a row: deeper stacks lose their roots */

/* Takes a row: LENGTH bytes of LINE, which ends with a newline. Returns 0, or -errno, which ends the work. */
typedef int rows_taker(void *of, const char *line, size_t length);

/* Gives the rows of PROFILE to TAKE with OF. They have no process numbers and no command lines, and add up to PROFILE.
 * Equal profiles give equal rows. Returns 0, -ENOMEM, or what TAKE returned. */
int rows_each(const struct profile *profile, const struct rows_about *about, rows_taker *take, void *of);

#endif
