/* SPDX-License-Identifier: MIT */
#include "profile/report/chain.h"

#include "common/base/buffer.h"
#include "common/text/text.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEAST_NAME = 16 }; /* columns; a shorter piece of a name is useless */

struct line {
    struct buffer *out, clean;
    const char *const *names;
    const unsigned char *values;
    bool *kept; /* for each name, whether it is kept; one extra entry on each side is always true */
    size_t count;
    const char *arrow;
    unsigned arrow_columns, mark_columns, taken;
    unsigned near, far; /* maximum columns of the end near the branches of the tree, and of the other end */
    bool up, utf8, begun;
};

/* Returns name INDEX cleaned, valid until the next call. */
static const char *clean_name(struct line *line, size_t index)
{
    line->clean.length = 0;
    text_clean(&line->clean, line->names[index], line->utf8);
    return line->clean.bytes ? line->clean.bytes : "";
}

static unsigned name_columns(struct line *line, size_t index)
{
    return text_columns(clean_name(line, index));
}

static void put(struct line *line, const char *text, unsigned columns)
{
    unsigned whole = text_columns(text);
    if (line->begun) {
        buffer_puts(line->out, line->arrow);
        line->taken += line->arrow_columns;
    }
    line->begun = true;
    size_t before = line->out->length;
    text_cut_name(line->out, text, columns, 0, line->utf8);
    line->taken += whole <= columns || line->out->failed ? whole : text_columns(line->out->bytes + before);
}

static void put_count(struct line *line, size_t left_out)
{
    char mark[32];
    if (!left_out)
        return;
    snprintf(mark, sizeof mark, "(%zu more)", left_out);
    put(line, mark, UINT_MAX);
}

/* Returns the index of the STEP-th name, counted from the end near the branches. */
static size_t index_of(const struct line *line, size_t step)
{
    return line->up ? step : line->count - 1 - step;
}

static void put_kept(struct line *line)
{
    size_t left_out = 0;
    for (size_t i = 0; i < line->count; i++) {
        bool near = i == index_of(line, 0), far = i == index_of(line, line->count - 1);
        left_out += !line->kept[i];
        if (!line->kept[i])
            continue;
        put_count(line, left_out);
        left_out = 0;
        put(line, clean_name(line, i), near ? line->near : far ? line->far : UINT_MAX);
    }
    put_count(line, left_out);
}

static unsigned minus(unsigned from, unsigned what)
{
    return from > what ? from - what : 0;
}

/* True if the chain fits into COLUMNS. */
static bool fits(struct line *line, unsigned columns)
{
    uint64_t need = 0;
    for (size_t i = 0; i < line->count && need <= columns; i++)
        need += name_columns(line, i) + (i ? line->arrow_columns : 0);
    return need <= columns;
}

/* Keeps name INDEX, cut to MOST columns, if *LEFT has room for it. */
static bool keep_name(struct line *line, size_t index, unsigned most, unsigned *left)
{
    unsigned gap = line->arrow_columns + line->mark_columns, need = name_columns(line, index);
    bool before = !line->kept[(ptrdiff_t)index - 1], after = !line->kept[index + 1];
    need = (need < most ? need : most) + line->arrow_columns;
    if (before && after)
        need += gap;
    else if (!before && !after)
        need = minus(need, gap);
    if (need > *left)
        return false;
    *left -= need;
    return line->kept[index] = true;
}

/* Keeps as many inner names as fit into LEFT columns: first the most informative ones, then those near the branches,
 * one after the other. */
static void keep_inner(struct line *line, unsigned left)
{
    for (unsigned value = CHAIN_OWN; line->values && value > CHAIN_USUAL; value--)
        for (size_t step = 1; step + 1 < line->count; step++)
            if (line->values[index_of(line, step)] == value)
                keep_name(line, index_of(line, step), UINT_MAX, &left);
    for (size_t step = 1; step < line->count; step++)
        if (!line->kept[index_of(line, step)] && !keep_name(line, index_of(line, step), UINT_MAX, &left))
            break;
}

/* Two names that are too long get half of the width each; a shorter one leaves its unused part to the other. */
static void halve_between_two(struct line *line, unsigned columns)
{
    unsigned near = name_columns(line, index_of(line, 0)), far = name_columns(line, index_of(line, 1));
    unsigned half = minus(columns, line->arrow_columns) / 2;
    line->kept[0] = line->kept[1] = true;
    line->near = half + minus(half, far);
    line->far = half + minus(half, near);
}

/* The end near the branches gets the columns that it needs, but may be cut to half of COLUMNS. The other end gets at
 * least a useful piece, or nothing. */
static void keep_ends_and_inner(struct line *line, unsigned columns)
{
    size_t end = index_of(line, line->count - 1);
    unsigned near = name_columns(line, index_of(line, 0)), far = name_columns(line, end);
    unsigned least_far = far < LEAST_NAME ? far : LEAST_NAME;
    unsigned left = minus(columns, line->arrow_columns + line->mark_columns);
    unsigned beside = minus(left, line->arrow_columns + least_far);
    bool dispensable = line->values && line->values[end] == CHAIN_LEAST;
    line->near = near < left ? near : left;
    if (!dispensable && line->near > beside && beside >= left / 2)
        line->near = beside;
    left -= line->near;
    line->far = minus(left, line->arrow_columns);
    line->kept[index_of(line, 0)] = true;
    if (!dispensable && line->far >= least_far)
        keep_name(line, end, line->far, &left);
    keep_inner(line, left);
}

static void put_fitted(struct line *line, unsigned columns)
{
    if (fits(line, columns)) {
        line->near = line->far = UINT_MAX;
        for (size_t i = 0; i < line->count; i++)
            line->kept[i] = true;
    } else if (line->count == 1) {
        line->near = columns;
        line->kept[0] = true;
    } else if (line->count == 2)
        halve_between_two(line, columns);
    else
        keep_ends_and_inner(line, columns);
    put_kept(line);
}

unsigned chain_put(struct buffer *out, const char *const *names, const unsigned char *values, size_t count,
                   unsigned columns, bool up, bool utf8)
{
    struct buffer whole = {0};
    bool *kept = calloc(count + 2, sizeof *kept);
    struct line line = {.out = &whole, .names = names, .values = values, .count = count, .up = up, .utf8 = utf8};
    if (utf8)
        line.arrow = up ? " ← " : " → ";
    else
        line.arrow = up ? " <- " : " -> ";
    line.arrow_columns = text_columns(line.arrow);
    line.mark_columns = (unsigned)snprintf(NULL, 0, "(%zu more)", count);
    if (kept) {
        kept[0] = kept[count + 1] = true;
        line.kept = kept + 1;
        put_fitted(&line, columns);
    }
    /* In very few columns even one name does not fit. */
    text_cut(out, whole.bytes ? whole.bytes : "", columns, 0, utf8);
    out->failed |= line.clean.failed | whole.failed | !kept;
    free(kept);
    buffer_fini(&line.clean);
    buffer_fini(&whole);
    return line.taken < columns ? line.taken : columns;
}
