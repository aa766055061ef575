/* SPDX-License-Identifier: MIT
 *
 * Reads rows that a database has added up, in ClickHouse's format RowBinary. */
#ifndef STORED_ROWS_TAKE_H
#define STORED_ROWS_TAKE_H

#include "base/buffer.h"
#include "base/error.h"
#include "profile/builder.h"

/* The columns that rows_take expects, in this order, with their types; NULL ends them. */
struct rows_column {
    const char *name, *type;
};
extern const struct rows_column rows_columns[];

enum { ROWS_MOST = 1000000 };

/* Adds the rows in the SIZE BYTES to INTO. Every byte may come from a stranger. NOTE gets what a reader should know, a
 * sentence that a name begins, or nothing. Returns 0, or -errno with ERROR set, whose text follows a name in a
 * sentence: -EBADMSG if they are no such rows, -E2BIG if they are too many, -ENODATA if they are none, or -ENOMEM.
 * After a failure INTO is only good for builder_finish. */
int rows_take(struct builder *into, const void *bytes, size_t size, struct buffer *note, struct error *error);

#endif
