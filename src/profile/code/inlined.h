/* SPDX-License-Identifier: MIT
 *
 * Selects inlined calls by the name of the called function. */
#ifndef CODE_INLINED_H
#define CODE_INLINED_H

#include "common/base/texts.h"

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

/* Selects the inlined calls of functions named TEXT (full or short name), or, without EXACT, of functions that match
 * PATTERN. */
struct inlined {
    const char *text;
    const regex_t *pattern;
    bool exact;
    struct texts seen; /* names that were looked up */
    bool *meant;       /* for each name: whether it is selected */
    size_t room;
};

/* Returns true if calls of the function NAME (as in the debug information) are selected. Also returns false if memory
 * runs out. */
bool inlined_is(struct inlined *inlined, const char *name);

/* Frees the results. */
void inlined_fini(struct inlined *inlined);

#endif
