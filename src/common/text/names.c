/* SPDX-License-Identifier: MIT */
#include "common/text/names.h"

#include "common/base/array.h"
#include "common/base/buffer.h"
#include "common/names/short_name.h"

#include <stdlib.h>
#include <string.h>

/* Maximum number of searches for equal names. After that, hostile names that become equal again and again are shown
 * whole. */
enum { MOST_PASSES = 8 };

void names_fini(struct names *names)
{
    for (size_t i = 0; i < names->whole.count && names->items; i++)
        free(names->items[i].shown);
    free(names->items);
    texts_fini(&names->whole);
    memset(names, 0, sizeof *names);
}

bool names_stay(const char *name, bool symbol)
{
    return !symbol && !short_name_is_generated(name);
}

uint32_t names_add(struct names *names, const char *name, bool fixed)
{
    struct buffer whole = {0};
    size_t count = names->whole.count;
    if (!array_reserve_((void **)&names->items, &names->room, count + 1, sizeof *names->items))
        return HASH_NONE;
    if (!fixed)
        short_name_put(&whole, name, SHORT_NAME_WHOLE);
    uint32_t number = whole.failed ? HASH_NONE : texts_add(&names->whole, fixed ? name : whole.bytes);
    buffer_fini(&whole);
    if (number == HASH_NONE)
        return HASH_NONE;
    if (names->whole.count > count)
        names->items[number] = (struct names_item){.fixed = fixed};
    names->items[number].fixed |= fixed;
    return number;
}

/* Makes the displayed name of item NUMBER for its level. */
static bool show(struct names *names, uint32_t number)
{
    struct names_item *item = &names->items[number];
    struct buffer text = {0};
    if (item->fixed)
        buffer_puts(&text, names->whole.items[number]);
    else
        short_name_put(&text, names->whole.items[number], item->level);
    free(item->shown);
    item->shown = text.failed ? NULL : text.bytes;
    if (text.failed)
        buffer_fini(&text);
    return item->shown != NULL;
}

static bool is_shown_so(const void *owner, uint32_t number, const void *key)
{
    return !strcmp(((const struct names *)owner)->items[number].shown, key);
}

/* Marks the items with equal displayed names. */
static bool find_clashes(struct names *names)
{
    struct hash index = {0};
    bool ok = true;
    for (uint32_t i = 0; i < names->whole.count && ok; i++) {
        struct names_item *item = &names->items[i];
        uint64_t value = hash_bytes(item->shown, strlen(item->shown));
        uint32_t other = hash_find(&index, value, is_shown_so, names, item->shown);
        item->clashes = other != HASH_NONE;
        if (item->clashes)
            names->items[other].clashes = true;
        else
            ok = hash_add(&index, value, i);
    }
    hash_fini(&index);
    return ok;
}

/* Lengthens the names that are equal, or all names with ALL. Sets *RAISED if any name could be lengthened. */
static bool raise_levels(struct names *names, bool all, bool *raised)
{
    *raised = false;
    for (uint32_t i = 0; i < names->whole.count; i++) {
        struct names_item *item = &names->items[i];
        if (item->fixed || item->level == SHORT_NAME_WHOLE || !(item->clashes || all))
            continue;
        item->level = all ? SHORT_NAME_WHOLE : (unsigned char)(item->level + 1);
        *raised = true;
        if (!show(names, i))
            return false;
    }
    return true;
}

bool names_settle(struct names *names)
{
    bool ok = true, raised = true;
    for (uint32_t i = 0; i < names->whole.count && ok; i++) {
        names->items[i].level = 0;
        ok = show(names, i);
    }
    for (unsigned pass = 0; raised && ok; pass++)
        ok = find_clashes(names) && raise_levels(names, pass >= MOST_PASSES, &raised);
    return ok;
}
