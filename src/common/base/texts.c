/* SPDX-License-Identifier: MIT */
#include "common/base/texts.h"

#include <stdlib.h>
#include <string.h>

void texts_fini(struct texts *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        free(texts->items[i]);
    free(texts->items);
    hash_fini(&texts->index);
    memset(texts, 0, sizeof *texts);
}

static bool is_text(const void *owner, uint32_t number, const void *key)
{
    return !strcmp(((const struct texts *)owner)->items[number], key);
}

uint32_t texts_add(struct texts *texts, const char *text)
{
    uint64_t value = hash_bytes(text, strlen(text));
    uint32_t number = hash_find(&texts->index, value, is_text, texts, text);
    if (number != HASH_NONE)
        return number;
    char *copy = strdup(text);
    number = copy ? HASH_APPEND(texts, value, &copy) : HASH_NONE;
    if (number == HASH_NONE)
        free(copy);
    return number;
}

void texts_hand_over(struct texts *texts, char ***items, size_t *count)
{
    *items = texts->items;
    *count = texts->count;
    texts->items = NULL;
    texts->count = 0;
    texts_fini(texts);
}
