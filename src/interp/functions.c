/* SPDX-License-Identifier: MIT */
#include "interp/functions.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

enum {
    FUNCTIONS_MOST = 1 << 19,
    SERIALS_MOST = 1 << 24,
};

#define BYTES_MOST (UINT64_C(64) << 20)

void functions_fini(struct functions *functions)
{
    for (size_t i = 0; i < functions->count; i++)
        free(functions->items[i].lines);
    free(functions->items);
    hash_fini(&functions->index);
    texts_fini(&functions->texts);
    free(functions->serials.items);
    memset(functions, 0, sizeof *functions);
}

static bool is_item(const void *owner, uint32_t number, const void *key)
{
    const struct functions_item *one = &((const struct functions *)owner)->items[number], *other = key;
    return one->runtime == other->runtime && one->name == other->name && one->file == other->file &&
           one->first_line == other->first_line && one->lines_size == other->lines_size &&
           (!one->lines_size || !memcmp(one->lines, other->lines, one->lines_size));
}

/* The number of LIKE, whose lines are copied if it is new. */
static uint32_t intern(struct functions *functions, const struct functions_item *like)
{
    uint64_t parts[] = {(uint64_t)like->runtime << 32 | like->name, (uint64_t)like->file << 32 | like->first_line,
                        like->lines_size ? hash_bytes(like->lines, like->lines_size) : 0};
    uint64_t value = hash_bytes(parts, sizeof parts);
    uint32_t number = hash_find(&functions->index, value, is_item, functions, like);
    struct functions_item added = *like;
    if (number != HASH_NONE || functions->count >= FUNCTIONS_MOST || functions->bytes > BYTES_MOST)
        return number;
    added.lines = like->lines_size ? malloc(like->lines_size) : NULL;
    if (like->lines_size && !added.lines)
        return HASH_NONE;
    if (like->lines_size)
        memcpy(added.lines, like->lines, like->lines_size);
    number = HASH_APPEND(functions, value, &added);
    if (number == HASH_NONE)
        free(added.lines);
    else
        functions->bytes += like->lines_size;
    return number;
}

void functions_set(struct functions *functions, uint32_t serial, uint32_t runtime,
                   const struct interp_function *function)
{
    if (!serial || serial >= SERIALS_MOST)
        return;
    while (functions->serials.count <= serial && ARRAY_RESERVE_ONE(&functions->serials))
        functions->serials.items[functions->serials.count++] = HASH_NONE;
    if (!function || serial >= functions->serials.count)
        return;
    struct functions_item like = {
        .runtime = runtime,
        .name = texts_add(&functions->texts, function->name),
        .file = texts_add(&functions->texts, function->file),
        .first_line = function->first_line,
        .number = HASH_NONE,
        .lines = (unsigned char *)(uintptr_t)function->lines, /* they are copied */
        .lines_size = function->lines_size,
    };
    if (like.name != HASH_NONE && like.file != HASH_NONE)
        functions->serials.items[serial] = intern(functions, &like);
}

struct functions_item *functions_get(const struct functions *functions, uint32_t serial)
{
    uint32_t number = serial < functions->serials.count ? functions->serials.items[serial] : HASH_NONE;
    return number == HASH_NONE ? NULL : &functions->items[number];
}
