/* SPDX-License-Identifier: MIT
 *
 * Bytes on their way into a file, compressed by gzip. */
#ifndef STORED_PACK_H
#define STORED_PACK_H

#include "base/buffer.h"

#include <stdio.h>

struct pack;

/* Begins to write to STREAM, which stays the caller's. Returns 0 with *PACK set, or -ENOMEM with *PACK NULL. */
int pack_begin(struct pack **pack, FILE *stream);

/* Writes what BYTES holds and empties it. Returns 0, -ENOMEM (also if something could not be appended to
 * BYTES), or -errno. */
int pack_write(struct pack *pack, struct buffer *bytes);

/* Writes the end and flushes the stream. Returns as pack_write. */
int pack_end(struct pack *pack);

/* Frees PACK; NULL is allowed. */
void pack_free(struct pack *pack);

#endif
