/* SPDX-License-Identifier: MIT
 *
 * The lists of a struct code. Each item is in its list only once. */
#include "profile/code/code_parts.h"

#include "common/base/array.h"
#include "profile/code/code.h"

#include <stdlib.h>
#include <string.h>

struct code_file *gather_file(struct code *code, const char *path, uint32_t *index)
{
    struct code_files *files = &code->files;
    for (*index = 0; *index < files->count; ++*index)
        if (!strcmp(files->items[*index].path, path))
            return NULL;
    struct code_file file = {.path = strdup(path)};
    if (!file.path || !ARRAY_RESERVE_ONE(files)) {
        free(file.path);
        *index = CODE_NONE;
        return NULL;
    }
    files->items[files->count] = file;
    return &files->items[files->count++];
}

static int by_address(const void *one, const void *other)
{
    uint64_t a = ((const struct code_instruction *)one)->address, b = ((const struct code_instruction *)other)->address;
    return a < b ? -1 : a > b;
}

void gather_once(struct code *code)
{
    size_t kept = 0;
    if (code->count)
        qsort(code->items, code->count, sizeof *code->items, by_address);
    for (size_t i = 0; i < code->count; i++)
        if (!i || code->items[i].address != code->items[i - 1].address)
            code->items[kept++] = code->items[i];
    code->count = kept;
}
