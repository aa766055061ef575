/* SPDX-License-Identifier: MIT */
#include "programs/elf/alias.h"

#include <elf.h>
#include <string.h>

void elf_alias_set_name(struct elf_alias *alias, const char *name, size_t size)
{
    /* Wine's names, in MSVC's scheme, begin with "?" and have an "@" inside */
    const char *version = size > 1 && *name != '?' ? memchr(name + 1, '@', size - 1) : NULL;
    alias->name = name;
    alias->length = version ? (size_t)(version - name) : size;
    if (version && !(alias->length + 1 < size && version[1] == '@'))
        alias->old_version = true;
}

/* Counts the leading underscores that distinguish "__libc_write" from "write", the name in the manual. The underscore
 * of a mangled name does not count. */
static size_t leading_underscores(const struct elf_alias *alias)
{
    size_t count = 0;
    while (count < alias->length && alias->name[count] == '_')
        count++;
    if (count == 1 && alias->length > 2 && (alias->name[1] == 'Z' || alias->name[1] == 'R'))
        return 0;
    return count;
}

static int binding_rank(unsigned char binding)
{
    switch (binding) {
    case STB_GLOBAL:
    case STB_GNU_UNIQUE:
        return 0;
    case STB_WEAK:
        return 1;
    default:
        return 2;
    }
}

static int compare_numbers(size_t one, size_t other)
{
    return (one > other) - (one < other);
}

int elf_alias_compare(const struct elf_alias *one, const struct elf_alias *other)
{
    size_t shorter = one->length < other->length ? one->length : other->length;
    int order = compare_numbers(one->type == STT_NOTYPE, other->type == STT_NOTYPE);
    if (!order)
        order = compare_numbers(leading_underscores(one), leading_underscores(other));
    if (!order)
        order = compare_numbers(one->old_version, other->old_version);
    if (!order)
        order = binding_rank(one->binding) - binding_rank(other->binding);
    if (!order)
        order = compare_numbers(one->length, other->length);
    return order ? order : memcmp(one->name, other->name, shorter);
}
