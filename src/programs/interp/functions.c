/* SPDX-License-Identifier: MIT */
#include "programs/interp/functions.h"

#include "common/base/array.h"
#include "common/wire/message.h"

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

static uint64_t hash_of(const struct functions_item *item)
{
    const struct interp_lines *lines = &item->lines;
    uint64_t parts[] = {(uint64_t)item->runtime << 32 | item->name, (uint64_t)item->file << 32 | lines->first_line,
                        lines->size ? hash_bytes(lines->bytes, lines->size) : 0};
    return hash_bytes(parts, sizeof parts);
}

/* Returns the number of LIKE, whose lines are copied if it is new; HASH_NONE if it cannot be stored. */
static uint32_t intern(struct functions *functions, const struct functions_item *like)
{
    const struct interp_lines *lines = &like->lines;
    uint64_t value = hash_of(like);
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
    uint32_t index = serial - functions->serials.first;
    if (!serial || index >= SERIALS_MOST)
        return;
    while (functions->serials.count <= index && ARRAY_RESERVE_ONE(&functions->serials))
        functions->serials.items[functions->serials.count++] = (struct functions_serial){.function = HASH_NONE};
    if (function && index < functions->serials.count)
        functions->serials.items[index] = (struct functions_serial){
            number_of(functions, runtime, function->name, function->file, function->lines), function->code};
}

struct functions_item *functions_get(const struct functions *functions, uint32_t serial, struct interp_range *code)
{
    uint32_t index = serial - functions->serials.first;
    if (!serial || index >= functions->serials.count || functions->serials.items[index].function == HASH_NONE)
        return NULL;
    *code = functions->serials.items[index].code;
    return &functions->items[functions->serials.items[index].function];
}

struct functions_item *functions_add(struct functions *functions, uint32_t runtime, const char *name, const char *file)
{
    uint32_t number = number_of(functions, runtime, name, file, (struct interp_lines){0});
    return number == HASH_NONE ? NULL : &functions->items[number];
}

/* Forgets the serials that were known at the time OLD_NS. */
static void forget_old(struct functions *functions)
{
    struct functions_serial *items = functions->serials.items;
    size_t old = functions->serials.old;
    functions->serials.count -= old;
    functions->serials.first += (uint32_t)old;
    if (old)
        memmove(items, items + old, functions->serials.count * sizeof *items);
}

/* Returns for each function whether a serial refers to it: 0, or HASH_NONE if none does. Sets *COUNT to their number.
 * Returns NULL if memory runs out. */
static uint32_t *find_used(const struct functions *functions, size_t *count)
{
    uint32_t *used = hash_numbers(functions->count + 1);
    *count = 0;
    for (size_t i = 0; used && i < functions->serials.count; i++) {
        uint32_t function = functions->serials.items[i].function;
        if (function == HASH_NONE)
            continue;
        *count += used[function] == HASH_NONE;
        used[function] = 0;
    }
    return used;
}

/* Moves the item NUMBER of FUNCTIONS to KEPT. Returns its number there, or HASH_NONE if memory runs out. */
static uint32_t move(struct functions *kept, const struct functions *functions, size_t number)
{
    struct functions_item item = functions->items[number];
    item.name = texts_add(&kept->texts, functions->texts.items[item.name]);
    item.file = texts_add(&kept->texts, functions->texts.items[item.file]);
    uint32_t moved =
        item.name == HASH_NONE || item.file == HASH_NONE ? HASH_NONE : HASH_APPEND(kept, hash_of(&item), &item);
    if (moved == HASH_NONE)
        free((void *)(uintptr_t)item.lines.bytes);
    else
        kept->bytes += item.lines.size;
    return moved;
}

/* Forgets the functions that are not in USED, which gets the numbers of the others. */
static void forget_unused(struct functions *functions, uint32_t *used)
{
    struct functions kept = {.serials = functions->serials};
    for (size_t i = 0; i < functions->count; i++)
        if (used[i] != HASH_NONE)
            used[i] = move(&kept, functions, i);
        else
            free((void *)(uintptr_t)functions->items[i].lines.bytes);
    for (size_t i = 0; i < kept.serials.count; i++)
        if (kept.serials.items[i].function != HASH_NONE)
            kept.serials.items[i].function = used[kept.serials.items[i].function];
    free(functions->items);
    hash_fini(&functions->index);
    texts_fini(&functions->texts);
    *functions = kept;
}

void functions_renew(struct functions *functions, uint64_t now_ns, bool keep)
{
    enum { FEW = 1024 };
    size_t used_count;
    for (size_t i = 0; i < functions->count; i++)
        functions->items[i].number = HASH_NONE;
    if (functions->serials.old_ns && now_ns < functions->serials.old_ns + 3 * MESSAGE_OBJECT_VALID_NS)
        return;
    if (functions->serials.old_ns)
        forget_old(functions);
    functions->serials.old = functions->serials.count;
    functions->serials.old_ns = now_ns;
    uint32_t *used = find_used(functions, &used_count);
    if (used && used_count < functions->count && (!keep || functions->count > FEW + 2 * used_count))
        forget_unused(functions, used);
    free(used);
}
