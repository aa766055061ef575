/* SPDX-License-Identifier: MIT
 *
 * Finds the target of a jump or a call in its text. */
#include "profile/code/code_parts.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Skips prefixes that only affect the prediction or tracking of a jump. */
static const char *past_prefixes(const char *text)
{
    static const char *const prefixes[] = {"bnd ", "notrack ", "data16 ", "addr32 ", "rex.W "};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (!strncmp(text, prefixes[i], strlen(prefixes[i])))
            return past_prefixes(text + strlen(prefixes[i]));
    return text;
}

bool target_of(const char *text, uint64_t *address)
{
    const char *name = past_prefixes(text), *operand = strchr(name, ' ');
    if ((*name != 'j' && strncmp(name, "call", 4) != 0) || !operand)
        return false;
    operand += strspn(operand, " ");
    char *end;
    uint64_t value = strtoull(operand, &end, 16);
    if (strncmp(operand, "0x", 2) != 0 || *end)
        return false;
    *address = value;
    return true;
}
