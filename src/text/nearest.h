/* SPDX-License-Identifier: MIT
 *
 * What a misspelled word may have been meant for. Pure. */
#ifndef TEXT_NEAREST_H
#define TEXT_NEAREST_H

#include <stddef.h>

/* Returns the one of COUNT NAMES that is nearest to WORD, if they differ by two letters at most, or by one in a word of
 * fewer than four; else NULL. A letter put in, taken out or changed counts as one, and so do two neighbours that have
 * changed places. Of equally near ones it is the first. */
const char *nearest_name(const char *word, const char *const *names, size_t count);

#endif
