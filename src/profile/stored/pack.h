/* SPDX-License-Identifier: MIT
 *
 * Writes bytes to a file, compressed by gzip. */
#ifndef STORED_PACK_H
#define STORED_PACK_H

#include <stdio.h>

struct buffer;
struct pack;

/* Begins to write to STREAM, which the caller still owns. Returns 0 with *PACK set, or -ENOMEM with *PACK NULL. */
int pack_begin(struct pack **pack, FILE *stream);

/* Writes the content of BYTES and empties it. Returns 0, -ENOMEM (also if BYTES has failed), or -errno. */
int pack_write(struct pack *pack, struct buffer *bytes);

/* Writes the end and flushes the stream. Returns as pack_write. */
int pack_end(struct pack *pack);

/* Packs what BYTES holds, and empties it. Returns 0 with *PACKED set, SIZE bytes to be freed, or -ENOMEM with *PACKED
 * NULL. */
int pack_bytes(struct buffer *bytes, char **packed, size_t *size);

/* Frees PACK; NULL is allowed. */
void pack_free(struct pack *pack);

#endif
