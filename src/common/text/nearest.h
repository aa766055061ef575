/* SPDX-License-Identifier: MIT
 *
 * Finds the word that a misspelled word was meant to be. Pure. */
#ifndef TEXT_NEAREST_H
#define TEXT_NEAREST_H

#include <stddef.h>

struct buffer;
struct error;

/* Returns the first of the COUNT NAMES nearest to WORD, if the two differ by at most two letters (one in a word of
 * fewer than four), else NULL. An inserted, removed or changed letter counts as one, and so does a swap of two
 * neighbours. */
const char *nearest_name(const char *word, const char *const *names, size_t count);

/* Sets ERROR to "COMPLAINT 'WORD'; did you mean PREFIXNEAR? ADVICE", or without the question if NEAR is NULL. ADVICE
 * begins with a lower-case letter, which becomes upper-case after the question. Returns -EINVAL. */
int nearest_refuse(struct error *error, const char *complaint, const char *word, const char *prefix, const char *near,
                   const struct buffer *advice);

#endif
