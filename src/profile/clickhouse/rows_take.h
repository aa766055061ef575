/* SPDX-License-Identifier: MIT
 *
 * Reads rows that a database has summed up, in ClickHouse's format RowBinary. */
#ifndef CLICKHOUSE_ROWS_TAKE_H
#define CLICKHOUSE_ROWS_TAKE_H

#include <stddef.h>

struct buffer;
struct builder;

struct error;

/* The columns that rows_take expects, in this order, with their types; the last is NULL. */
struct rows_column {
    const char *name, *type;
};
extern const struct rows_column rows_columns[];

enum { ROWS_MOST = 1000000 };

/* Adds the rows in the SIZE BYTES, which are not trusted, to INTO. Sets NOTE to a sentence for the user without its
 * subject, a name; or to nothing. Returns 0, or -errno with ERROR set, whose text also lacks this subject: -EBADMSG if
 * they are not such rows, -E2BIG if they are too many, -ENODATA if there are none, or -ENOMEM. After a failure, only
 * builder_finish may be called for INTO. */
int rows_take(struct builder *into, const void *bytes, size_t size, struct buffer *note, struct error *error);

#endif
