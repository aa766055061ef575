/* SPDX-License-Identifier: MIT */
#include "front/record/scripts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 20 };

void scripts_fini(struct scripts *scripts)
{
    free(scripts->items);
    hash_fini(&scripts->index);
    texts_fini(&scripts->texts);
    memset(scripts, 0, sizeof *scripts);
}

static bool is_script(const void *owner, uint32_t number, const void *key)
{
    const struct script *one = &((const struct scripts *)owner)->items[number], *other = key;
    return one->module == other->module && one->name == other->name && one->file == other->file &&
           one->first_line == other->first_line;
}

uint32_t scripts_add(struct scripts *scripts, uint32_t module, const char *name, const char *file, uint32_t first_line)
{
    struct script like = {.module = module, .first_line = first_line, .file = HASH_NONE};
    like.name = scripts->count < MOST ? texts_add(&scripts->texts, name) : HASH_NONE;
    if (like.name == HASH_NONE)
        return HASH_NONE;
    if (file && *file)
        like.file = texts_add(&scripts->texts, file);
    uint64_t parts[] = {(uint64_t)like.module << 32 | like.name, (uint64_t)like.file << 32 | like.first_line};
    return HASH_INTERN(scripts, hash_bytes(parts, sizeof parts), is_script, scripts, &like);
}

void scripts_compare(struct scripts *scripts)
{
    uint32_t *first = hash_numbers(scripts->texts.count + 1);
    for (uint32_t i = 0; first && i < scripts->count; i++) {
        struct script *script = &scripts->items[i];
        uint32_t *other = &first[script->name];
        if (*other == HASH_NONE) {
            *other = i;
            continue;
        }
        script->is_ambiguous = true;
        scripts->items[*other].is_ambiguous = true;
    }
    free(first);
}

const char *scripts_file(const struct scripts *scripts, uint32_t number)
{
    uint32_t file = number < scripts->count ? scripts->items[number].file : HASH_NONE;
    return file == HASH_NONE ? NULL : scripts->texts.items[file];
}

/* Returns the part of the path FILE that tells it from others: its last part, with the folder if each package has a
 * file of this name. */
static const char *telling_part(const char *file)
{
    const char *slash = strrchr(file, '/'), *part = slash ? slash + 1 : file;
    if (!slash || (strcmp(part, "__init__.py") && strcmp(part, "__main__.py")))
        return part;
    while (slash > file && slash[-1] != '/')
        slash--;
    return slash;
}

/* Some names stand for code without a name of its own. */
void scripts_name(const struct scripts *scripts, uint32_t number, char *name, size_t size)
{
    if (number >= scripts->count) {
        snprintf(name, size, "[unknown]");
        return;
    }
    const struct script *script = &scripts->items[number];
    const char *text = scripts->texts.items[script->name], *file = scripts_file(scripts, number);
    const char *last = file ? telling_part(file) : NULL;
    bool is_nameless = *text == '<' || strstr(text, "__ANON__") || strstr(text, "{closure}");
    bool is_file = !strcmp(text, "<module>") || !strcmp(text, "<main>");
    if (!file || (!script->is_ambiguous && !is_nameless))
        snprintf(name, size, "%s", text);
    else if (is_file || !script->first_line)
        snprintf(name, size, "%s (%s)", text, last);
    else
        snprintf(name, size, "%s (%s:%u)", text, last, script->first_line);
}
