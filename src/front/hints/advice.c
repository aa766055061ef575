/* SPDX-License-Identifier: MIT
 *
 * Collects hints, and prints the few with the largest gain. */
#include "front/hints/hints_parts.h"

#include "common/base/array.h"
#include "common/text/say.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void advice_fini(struct advice *advice)
{
    for (size_t i = 0; i < advice->count; i++)
        free(advice->items[i].text);
    free(advice->items);
    *advice = (struct advice){0};
}

static bool has(const struct advice *advice, const char *text)
{
    for (size_t i = 0; i < advice->count; i++)
        if (!strcmp(advice->items[i].text, text))
            return true;
    return false;
}

void advice_add(struct advice *advice, double gain, const char *format, ...)
{
    char *text = NULL;
    va_list values;
    va_start(values, format);
    int length = vasprintf(&text, format, values);
    va_end(values);
    if (length < 0)
        return;
    if (!has(advice, text) && ARRAY_RESERVE_ONE(advice))
        advice->items[advice->count++] = (struct advice_hint){gain, text};
    else
        free(text);
}

/* Returns the hint with the largest gain, the first of equal ones. */
static struct advice_hint *best_of(const struct advice *advice)
{
    struct advice_hint *best = NULL;
    for (size_t i = 0; i < advice->count; i++)
        if (advice->items[i].gain >= 0 && (!best || advice->items[i].gain > best->gain))
            best = &advice->items[i];
    return best;
}

void advice_say(struct advice *advice, FILE *stream)
{
    for (size_t said = 0; said < ADVICE_SAID; said++) {
        struct advice_hint *best = best_of(advice);
        if (!best)
            return;
        say_line(stream, "hint: %s", best->text);
        best->gain = -1;
    }
}
