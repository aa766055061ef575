/* SPDX-License-Identifier: MIT
 *
 * Code that a program has copied from its file to memory without a file, for large pages, and then moved to the
 * file's addresses. node --use-largepages, iodlr and BOLT's --hugify do so. /proc/PID/maps then has no file there,
 * only the remaining mappings around it. */
#ifndef FILES_REMAPPED_H
#define FILES_REMAPPED_H

#include "common/model/address_map.h"

#include <stddef.h>

enum { REMAPPED_GUESSES = 4 };

/* Returns true if PATH, of SIZE bytes in a maps file, belongs to memory without a file, named or not. */
bool remapped_is_memory(const char *path, size_t size);

/* Sets GUESSES to the parts of files that RANGE, executable memory without a file, may be a copy of. Guesses from its
 * neighbours in TEXT, the content of a maps file. Returns how many. The caller frees their paths. */
size_t remapped_guess(const char *text, const struct address_range *range,
                      struct address_range guesses[static REMAPPED_GUESSES]);

#endif
