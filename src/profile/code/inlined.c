/* SPDX-License-Identifier: MIT */
#include "profile/code/inlined.h"

#include "common/base/array.h"
#include "common/base/buffer.h"
#include "common/names/demangle.h"
#include "common/names/short_name.h"

#include <stdlib.h>
#include <string.h>

static bool fits(const struct inlined *inlined, const char *name)
{
    return inlined->exact ? !strcmp(inlined->text, name) : !regexec(inlined->pattern, name, 0, NULL, 0);
}

static bool find_out(const struct inlined *inlined, const char *name)
{
    struct buffer text = {0};
    char *demangled = demangle_name(name);
    const char *full = demangled ? demangled : name;
    short_name_put(&text, full, SHORT_NAME_BARE);
    bool meant = fits(inlined, full) || (!text.failed && fits(inlined, text.bytes));
    buffer_fini(&text);
    free(demangled);
    return meant;
}

bool inlined_is(struct inlined *inlined, const char *name)
{
    size_t count = inlined->seen.count;
    if (!array_reserve_((void **)&inlined->meant, &inlined->room, count + 1, sizeof *inlined->meant))
        return false;
    uint32_t number = texts_add(&inlined->seen, name);
    if (number == HASH_NONE)
        return false;
    if (number == count)
        inlined->meant[number] = find_out(inlined, name);
    return inlined->meant[number];
}

void inlined_fini(struct inlined *inlined)
{
    texts_fini(&inlined->seen);
    free(inlined->meant);
    inlined->meant = NULL;
    inlined->room = 0;
}
