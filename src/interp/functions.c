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
        free((void *)(uintptr_t)functions->items[i].lines.bytes);
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
           one->lines.first_line == other->lines.first_line && one->lines.size == other->lines.size &&
           one->lines.split == other->lines.split &&
           (!one->lines.size || !memcmp(one->lines.bytes, other->lines.bytes, one->lines.size));
}

/* Returns the number of LIKE, whose lines are copied if it is new; HASH_NONE if it cannot be stored. */
static uint32_t intern(struct functions *functions, const struct functions_item *like)
{
    const struct interp_lines *lines = &like->lines;
    uint64_t parts[] = {(uint64_t)like->runtime << 32 | like->name, (uint64_t)like->file << 32 | lines->first_line,
                        lines->size ? hash_bytes(lines->bytes, lines->size) : 0};
    uint64_t value = hash_bytes(parts, sizeof parts);
    uint32_t number = hash_find(&functions->index, value, is_item, functions, like);
    struct functions_item added = *like;
    unsigned char *copy = NULL;
    if (number != HASH_NONE || functions->count >= FUNCTIONS_MOST || functions->bytes > BYTES_MOST ||
        (lines->size && !(copy = malloc(lines->size))))
        return number;
    if (copy)
        memcpy(copy, lines->bytes, lines->size);
    added.lines.bytes = copy;
    number = HASH_APPEND(functions, value, &added);
    if (number == HASH_NONE)
        free(copy);
    else
        functions->bytes += lines->size;
    return number;
}

/* The same for the function NAME of FILE with these LINES. */
static uint32_t number_of(struct functions *functions, uint32_t runtime, const char *name, const char *file,
                          struct interp_lines lines)
{
    struct functions_item like = {
        .runtime = runtime,
        .name = texts_add(&functions->texts, name),
        .file = texts_add(&functions->texts, file),
        .number = HASH_NONE,
        .lines = lines,
    };
    return like.name == HASH_NONE || like.file == HASH_NONE ? HASH_NONE : intern(functions, &like);
}

void functions_set(struct functions *functions, uint32_t serial, uint32_t runtime,
                   const struct interp_function *function)
{
    if (!serial || serial >= SERIALS_MOST)
        return;
    while (functions->serials.count <= serial && ARRAY_RESERVE_ONE(&functions->serials))
        functions->serials.items[functions->serials.count++] = (struct functions_serial){.function = HASH_NONE};
    if (function && serial < functions->serials.count)
        functions->serials.items[serial] = (struct functions_serial){
            number_of(functions, runtime, function->name, function->file, function->lines), function->base};
}

struct functions_item *functions_get(const struct functions *functions, uint32_t serial, uint64_t *base)
{
    if (serial >= functions->serials.count || functions->serials.items[serial].function == HASH_NONE)
        return NULL;
    *base = functions->serials.items[serial].base;
    return &functions->items[functions->serials.items[serial].function];
}

struct functions_item *functions_add(struct functions *functions, uint32_t runtime, const char *name, const char *file)
{
    uint32_t number = number_of(functions, runtime, name, file, (struct interp_lines){0});
    return number == HASH_NONE ? NULL : &functions->items[number];
}
