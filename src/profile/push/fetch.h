/* SPDX-License-Identifier: MIT
 *
 * Reads a profile back from a server of --push. */
#ifndef PUSH_FETCH_H
#define PUSH_FETCH_H

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "profile/profile/builder.h"

/* Adds the results of the query TEXT (see clickhouse_query_init) to INTO. A child process asks the server and parses
 * the answer, which is untrusted. HEADERS: a file with a header for the request in each line, or NULL. NOTE gets a note
 * for the reader, a sentence that begins with the address, or nothing. Returns 0, or -errno with ERROR set. */
int fetch_profile(struct builder *into, const char *text, const char *headers, struct buffer *note,
                  struct error *error);

#endif
