/* SPDX-License-Identifier: MIT
 *
 * What a just-in-time compiler says of its code: /tmp/perf-PID.map, lines of "START SIZE NAME", the numbers
 * hexadecimal. */
#ifndef ELF_JITMAP_H
#define ELF_JITMAP_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jitmap;

/* Reads the map that FD, the caller's, is open on, LIMIT_BYTES of it at the most: more is cut off. Where
 * lines overlap, a later one has the addresses, as memory is used again. Lines that make no sense are
 * skipped, an unfinished last one too. Returns 0, or -errno with ERROR set and *MAP NULL: -EINVAL not a
 * regular file, -ENOMEM, others from reading. */
int jitmap_read(int fd, size_t limit_bytes, struct jitmap **map, struct error *error);

/* The same for SIZE bytes of TEXT, of which a copy is made. Returns 0, or -ENOMEM with *MAP NULL. */
int jitmap_parse(const char *text, size_t size, struct jitmap **map);

/* Frees MAP; NULL is allowed. */
void jitmap_free(struct jitmap *map);

/* Sets *NAME, valid as long as MAP, and the addresses of the line that ADDRESS of the process belongs to.
 * False, with nothing set, if there is none. */
bool jitmap_find(const struct jitmap *map, uint64_t address, const char **name, uint64_t *start,
                 uint64_t *end);

#endif
