/* SPDX-License-Identifier: MIT
 *
 * Profiles read back from ClickHouse, a server of --push: its tables, queries, and their answers. */
#ifndef CLICKHOUSE_CLICKHOUSE_H
#define CLICKHOUSE_CLICKHOUSE_H

#include "profile/profile/builder.h"

#include <stdbool.h>
#include <stdint.h>

struct error;

/* Appends the statements that create the tables: on one server, or, if CLUSTER is not NULL, on each server of that
 * cluster. There, each table shows the rows of all servers. CLUSTER consists of letters, digits, '_' and '-'. */
void clickhouse_schema(struct buffer *out, const char *cluster);

struct clickhouse_query {
    char *shown; /* the address without a password */
    struct buffer url, text;
};

/* Returns true if TEXT begins like the address of a query of ClickHouse. */
bool clickhouse_is_query(const char *text);

/* Sets QUERY from TEXT, clickhouse+http://HOST/DATABASE?NAME=VALUE&... NOW_NS is the present time since 1970: without
 * `from`, the query is for the last hour. Free it with clickhouse_query_fini, also after an error. Returns 0, or
 * -EINVAL or -ENOMEM with ERROR set. */
int clickhouse_query_init(struct clickhouse_query *query, const char *text, uint64_t now_ns, struct error *error);
void clickhouse_query_fini(struct clickhouse_query *query);

/* Adds the results of the query TEXT (see clickhouse_query_init) to INTO. A child process asks the server and parses
 * the answer, which is untrusted. HEADERS: a file with a header for the request in each line, or NULL. NOTE gets a note
 * for the reader, a sentence that begins with the address, or nothing. Returns 0, or -errno with ERROR set. */
int clickhouse_fetch(struct builder *into, const char *text, const char *headers, struct buffer *note,
                     struct error *error);

#endif
