/* SPDX-License-Identifier: MIT
 *
 * The suffixes that compilers and linkers append to a function's symbol. Pure. */
#ifndef NAMES_SUFFIX_H
#define NAMES_SUFFIX_H

#include <stddef.h>

enum suffix {
    SUFFIX_NONE,
    SUFFIX_PART, /* a part or a variant of the function: ".cold", ".part.0", ".constprop.0" */
    SUFFIX_FILE  /* one of several functions with this name, each private to its file: ".lto_priv.0", ".__uniq.123" */
};

/* Returns the length of NAME (LENGTH letters) without its last suffix: ".isra.0", or demangled " [clone .isra.0]". Sets
 * *KIND to the kind of that suffix. Without a suffix, returns LENGTH and sets *KIND to SUFFIX_NONE. */
size_t suffix_begin(const char *name, size_t length, enum suffix *kind);

/* Returns the length of NAME (LENGTH letters) without all of its suffixes. */
size_t suffix_begin_all(const char *name, size_t length);

#endif
