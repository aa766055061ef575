/* SPDX-License-Identifier: MIT
 *
 * Reads the names that a just-in-time compiler gives its code: /tmp/perf-PID.map, with lines "START SIZE NAME"
 * (hexadecimal numbers). The file only grows, and has no times. If lines overlap, because memory was reused, the later
 * line is valid. */
#ifndef JIT_MAP_H
#define JIT_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

/* The names of the addresses that were looked up. */
struct jit_map;

/* Looks up the COUNT ADDRESSES, which are sorted, in the last LIMIT_BYTES of the map that the caller's FD is open on.
 * Skips malformed lines and an unfinished last line. Takes linear time in the size of the text, however many lines
 * overlap. Returns 0, or -errno with ERROR set and *MAP NULL: -EINVAL not a regular file, -ENOMEM, others from
 * reading. */
int jit_map_read(int fd, size_t limit_bytes, const uint64_t *addresses, size_t count, struct jit_map **map,
                 struct error *error);

/* Like jit_map_read, for SIZE bytes of TEXT. Returns 0, or -ENOMEM with *MAP NULL. */
int jit_map_parse(const char *text, size_t size, const uint64_t *addresses, size_t count, struct jit_map **map);

/* Frees MAP; NULL is allowed. */
void jit_map_free(struct jit_map *map);

/* Sets *NAME (valid as long as MAP) and the address range of the line that covers ADDRESS, one of the addresses given
 * to jit_map_read. Returns false, with nothing set, if no line covers it. */
bool jit_map_find(const struct jit_map *map, uint64_t address, const char **name, uint64_t *start, uint64_t *end);

#endif
