/* SPDX-License-Identifier: MIT
 *
 * A profile that a server of --push has kept. */
#ifndef PUSH_FETCH_H
#define PUSH_FETCH_H

#include "base/buffer.h"
#include "base/error.h"
#include "profile/builder.h"

/* Adds to INTO what the query TEXT (see clickhouse_query_init) finds. A child process asks the server and parses the
 * answer, which can be anything. HEADERS: a file with a header for the request in each line, or NULL. NOTE gets what
 * the reader should know, a sentence that the address begins, or nothing. Returns 0, or -errno with ERROR set. */
int fetch_profile(struct builder *into, const char *text, const char *headers, struct buffer *note,
                  struct error *error);

#endif
