/* SPDX-License-Identifier: MIT
 *
 * Which functions match regular expressions: by their full or their short names, or by the whole name or path of their
 * script. */
#ifndef PROFILE_MATCH_H
#define PROFILE_MATCH_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

struct profile;

/* How a name matches, the best last. */
enum match { MATCH_NONE, MATCH_PATTERN, MATCH_TEXT };

struct matcher {
    const regex_t *patterns; /* one of them must match */
    size_t count;
    const char *text; /* a name equal to this text is a better match; NULL: no name is */
};

enum match match_name(const struct matcher *matcher, const char *name);

/* Sets *BEST to the better match of a function's FULL name and its short name. Returns false if memory runs out. */
bool match_function(const struct matcher *matcher, const char *full, enum match *best);

/* Returns for each function of PROFILE how it matches: one byte each, an enum match. The caller frees them. NULL if
 * memory runs out. */
unsigned char *match_functions(const struct matcher *matcher, const struct profile *profile);

#endif
