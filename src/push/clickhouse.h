/* SPDX-License-Identifier: MIT
 *
 * ClickHouse's HTTP interface: where rows are sent, and the query that reads them back. Pure. */
#ifndef PUSH_CLICKHOUSE_H
#define PUSH_CLICKHOUSE_H

#include "base/buffer.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Appends the statements that make the tables: on one server, or (CLUSTER not NULL) on each server of that cluster,
 * where the tables have the rows of all. CLUSTER has letters, digits, '_' and '-'. */
void clickhouse_schema(struct buffer *out, const char *cluster);

/* Returns where rows are sent to the database that the LENGTH bytes of URL, http://HOST/PREFIX/DATABASE, name; to be
 * freed. NULL if memory runs out. */
char *clickhouse_insert_url(const char *url, size_t length);

struct clickhouse_query {
    char *shown; /* the address without a password */
    char *url;
    struct buffer text;
};

/* True if TEXT begins as an address of such a query. */
bool clickhouse_is_query(const char *text);

/* Makes the QUERY for TEXT, clickhouse+http://HOST/DATABASE?NAME=VALUE&..., now being NOW_NS since 1970. Without a
 * beginning (from) it is of the last hour. Free it with clickhouse_query_fini in either case. Returns 0, or -EINVAL or
 * -ENOMEM with ERROR set. */
int clickhouse_query_init(struct clickhouse_query *query, const char *text, uint64_t now_ns, struct error *error);
void clickhouse_query_fini(struct clickhouse_query *query);

#endif
