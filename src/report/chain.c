/* SPDX-License-Identifier: MIT */
#include "report/chain.h"

#include "report/text.h"

#include <limits.h>
#include <stdio.h>

enum { LEAST_NAME = 12, MARK_COLUMNS = sizeof "(9999 more)" - 1 };

struct line {
    struct buffer *out, clean;
    const char *const *names;
    size_t count;
    const char *arrow;
    unsigned arrow_columns, taken;
    bool utf8, begun;
};

/* Returns name INDEX made harmless, valid until the next call. */
static const char *clean_name(struct line *line, size_t index)
{
    line->clean.length = 0;
    text_clean(&line->clean, line->names[index], line->utf8);
    return line->clean.bytes ? line->clean.bytes : "";
}

static void put(struct line *line, const char *text, unsigned columns)
{
    unsigned whole = text_columns(text);
    if (line->begun) {
        buffer_puts(line->out, line->arrow);
        line->taken += line->arrow_columns;
    }
    line->begun = true;
    text_cut(line->out, text, columns, 0, line->utf8);
    line->taken += whole < columns ? whole : columns;
}

/* Returns how many of the names between the first and the last have room in COLUMNS, counted from the first, or from
 * the last if BACKWARDS. */
static size_t count_fitting(struct line *line, unsigned columns, bool backwards)
{
    size_t count = 0;
    while (count + 2 < line->count) {
        size_t index = backwards ? line->count - 2 - count : 1 + count;
        unsigned need = line->arrow_columns + text_columns(clean_name(line, index));
        if (need > columns)
            break;
        columns -= need;
        count++;
    }
    return count;
}

static unsigned minus(unsigned from, unsigned what)
{
    return from > what ? from - what : 0;
}

/* Of the FITTING names between the first and the last, those that are near the branches of the tree stay. */
static void put_parts(struct line *line, unsigned first, unsigned last, size_t fitting, bool up)
{
    size_t begin = up ? 1 + fitting : 1, left_out = line->count - 2 - fitting;
    put(line, clean_name(line, 0), first);
    for (size_t i = 1; i + 1 < line->count; i++)
        if (i < begin || i >= begin + left_out)
            put(line, clean_name(line, i), UINT_MAX);
        else if (i == begin) {
            char mark[32];
            snprintf(mark, sizeof mark, "(%zu more)", left_out);
            put(line, mark, UINT_MAX);
        }
    put(line, clean_name(line, line->count - 1), last);
}

static void put_fitted(struct line *line, unsigned columns, bool up)
{
    unsigned first = text_columns(clean_name(line, 0)), last = text_columns(clean_name(line, line->count - 1));
    unsigned ends = first + line->arrow_columns + last, half;
    if (ends <= columns && count_fitting(line, columns - ends, false) == line->count - 2) {
        put_parts(line, first, last, line->count - 2, up);
        return;
    }
    if (line->count > 2)
        columns = minus(columns, line->arrow_columns + MARK_COLUMNS);
    half = minus(columns, line->arrow_columns) / 2;
    half = half > LEAST_NAME ? half : LEAST_NAME;
    unsigned first_most = first < half ? first : half + minus(half, last);
    unsigned last_most = last < half ? last : half + minus(half, first);
    ends = (first < first_most ? first : first_most) + line->arrow_columns + (last < last_most ? last : last_most);
    put_parts(line, first_most, last_most, count_fitting(line, minus(columns, ends), !up), up);
}

unsigned chain_put(struct buffer *out, const char *const *names, size_t count, unsigned columns, bool up, bool utf8)
{
    struct buffer whole = {0};
    struct line line = {.out = &whole, .names = names, .count = count, .utf8 = utf8};
    if (utf8)
        line.arrow = up ? " ← " : " → ";
    else
        line.arrow = up ? " <- " : " -> ";
    line.arrow_columns = text_columns(line.arrow);
    if (count == 1)
        put(&line, clean_name(&line, 0), columns);
    else
        put_fitted(&line, columns, up);
    /* Where there is hardly any room, not even the least of the names fits. */
    text_cut(out, whole.bytes ? whole.bytes : "", columns, 0, utf8);
    out->failed |= line.clean.failed | whole.failed;
    buffer_fini(&line.clean);
    buffer_fini(&whole);
    return line.taken < columns ? line.taken : columns;
}
