/* SPDX-License-Identifier: MIT
 *
 * A chain of calls in one line. */
#ifndef REPORT_CHAIN_H
#define REPORT_CHAIN_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>

/* How much a name tells of what was called. */
enum chain_value {
    CHAIN_LEAST, /* left out before all others, also at the end */
    CHAIN_USUAL,
    CHAIN_ENTRY, /* called from another object */
    CHAIN_OWN    /* a function of the program's own */
};

/* Appends the COUNT NAMES, at least one, made harmless and with arrows between them, in at most COLUMNS columns. Of
 * names that do not fit, the first and the last ones are kept, then those of the most VALUES (an enum chain_value each;
 * NULL: all are usual), and how many are left out stands in their places. UP: each called the one before it, not the
 * one after it. Returns how many columns it took. */
unsigned chain_put(struct buffer *out, const char *const *names, const unsigned char *values, size_t count,
                   unsigned columns, bool up, bool utf8);

#endif
