/* SPDX-License-Identifier: MIT
 *
 * ClickHouse's HTTP interface: where rows are sent, and the query that reads them back. Pure. */
#ifndef PUSH_CLICKHOUSE_H
#define PUSH_CLICKHOUSE_H

#include "common/base/buffer.h"
#include "common/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Appends the statements that create the tables: on one server, or, if CLUSTER is not NULL, on each server of that
 * cluster. There, each table shows the rows of all servers. CLUSTER consists of letters, digits, '_' and '-'. */
void clickhouse_schema(struct buffer *out, const char *cluster);

/* Returns the address for rows of the database that the LENGTH bytes of URL name: http://HOST/PREFIX/DATABASE. The
 * caller frees it. NULL if memory runs out. */
char *clickhouse_insert_url(const char *url, size_t length);

struct clickhouse_query {
    char *shown; /* the address without a password */
    char *url;
    struct buffer text;
};

/* Returns true if TEXT begins like the address of a query of ClickHouse. */
bool clickhouse_is_query(const char *text);

/* Sets QUERY from TEXT, clickhouse+http://HOST/DATABASE?NAME=VALUE&... NOW_NS is the present time since 1970: without
 * `from`, the query is for the last hour. Free it with clickhouse_query_fini, also after an error. Returns 0, or
 * -EINVAL or -ENOMEM with ERROR set. */
int clickhouse_query_init(struct clickhouse_query *query, const char *text, uint64_t now_ns, struct error *error);
void clickhouse_query_fini(struct clickhouse_query *query);

#endif
