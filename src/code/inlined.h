/* SPDX-License-Identifier: MIT
 *
 * Selects inlined calls by the name of the called function. */
#ifndef CODE_INLINED_H
#define CODE_INLINED_H

#include "base/texts.h"

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

/* The inlined calls of functions whose name, full or short, is TEXT, or without EXACT matches PATTERN. */
struct inlined {
    const char *text;
    const regex_t *pattern;
    bool exact;
    struct texts seen; /* names that were asked for */
    bool *meant;       /* of each */
    size_t room;
};

/* True if the calls of the function NAME (as in the debug information) are selected; false also if memory runs out. */
bool inlined_is(struct inlined *inlined, const char *name);

/* Frees what was found out. */
void inlined_fini(struct inlined *inlined);

#endif
