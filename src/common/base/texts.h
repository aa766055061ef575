/* SPDX-License-Identifier: MIT
 *
 * A set of texts, numbered in the order in which they were added. Each text is stored once. */
#ifndef BASE_TEXTS_H
#define BASE_TEXTS_H

#include "common/base/hash.h"

#include <stddef.h>
#include <stdint.h>

struct texts {
    char **items; /* by number */
    size_t count, room;
    struct hash index;
};

/* Frees the texts. The set is empty afterwards. A zeroed set is empty. */
void texts_fini(struct texts *texts);

/* Returns the number of TEXT, and stores a copy if it is new. Returns HASH_NONE if memory runs out. */
uint32_t texts_add(struct texts *texts, const char *text);

/* Moves the texts, ordered by number, to *ITEMS and *COUNT. The caller frees each text and the array. The set is empty
 * afterwards. */
void texts_hand_over(struct texts *texts, char ***items, size_t *count);

#endif
