/* SPDX-License-Identifier: MIT
 *
 * A chain of calls in one line. */
#ifndef REPORT_CHAIN_H
#define REPORT_CHAIN_H

#include <stdbool.h>
#include <stddef.h>

struct buffer;

/* How informative a name is. */
enum chain_value {
    CHAIN_LEAST, /* omitted before all others, even at the end */
    CHAIN_USUAL,
    CHAIN_ENTRY, /* called from another object */
    CHAIN_OWN    /* a function of the program's own */
};

/* Appends the COUNT NAMES, at least one, cleaned and with arrows between them, in at most COLUMNS columns. If they
 * do not fit, keeps the first and last ones, then those of the highest VALUES (an enum chain_value each; NULL: all
 * are usual). A count replaces the omitted ones. UP: each name called the one before it, not the one after it.
 * Returns how many columns it used. */
unsigned chain_put(struct buffer *out, const char *const *names, const unsigned char *values, size_t count,
                   unsigned columns, bool up, bool utf8);

#endif
