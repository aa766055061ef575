/* SPDX-License-Identifier: MIT */
#include "profile/report/table_layout.h"

#include "common/base/buffer.h"
#include "common/text/text.h"
#include "profile/profile/writer.h"
#include "profile/report/table_columns.h"
#include "profile/report/table_rows.h"

#include <stdio.h>
#include <string.h>

enum {
    GAP = 2,         /* columns between two cells */
    LEAST_NAME = 12, /* if less would remain, the table is wider than the terminal */
    ROOM = 30,       /* width that texts should have, if some numbers can be omitted */
    LEAST_BAR = 6,   /* shorter bars show nothing */
    MOST_BAR = 24,
    MOST_PADDING = 60, /* without a width: longer names move their row's detail to the right */
};

struct layout {
    const struct table_form *form;
    const struct report_options *options;
    struct table_row total, rest; /* rest: sum of the omitted rows */
    struct text_unit unit;
    const struct table_column *columns;
    size_t column_count;
    unsigned width[TABLE_MOST_COLUMNS]; /* 0: no such column */
    unsigned name, name_most;           /* width of the column, and maximum width of a text in it */
    unsigned detail, detail_most;
    unsigned bar;
    bool narrow; /* running time is not split */
    struct buffer scratch;
};

/* Bold for large rows, dim for minor text. */
static void paint(struct buffer *out, const struct layout *layout, const char *attribute)
{
    if (layout->options->color)
        buffer_puts(out, attribute);
}

#define BOLD "\033[1m"
#define DIM "\033[2m"
#define PLAIN "\033[0m"

static const char *column_title(const struct layout *layout, size_t column, char *text, size_t size)
{
    const struct table_column *of = &layout->columns[column];
    const char *title = of->wall_title && layout->form->waiting ? of->wall_title : of->title;
    snprintf(text, size, "%s%s%s", title, of->with_unit ? " " : "", of->with_unit ? layout->unit.name : "");
    return text;
}

/* Returns the column's cell for ROW, valid until the next call. */
static const char *cell_text(struct layout *layout, size_t column, const struct table_row *row)
{
    layout->scratch.length = 0;
    table_column_put(&layout->scratch, &layout->columns[column], row, layout->unit, layout->form->whole_ns);
    return layout->scratch.bytes ? layout->scratch.bytes : "";
}

/* Returns TEXT cleaned, valid until the next call. */
static const char *clean_text(struct layout *layout, const char *text)
{
    layout->scratch.length = 0;
    text_clean(&layout->scratch, text, layout->options->utf8);
    return layout->scratch.bytes ? layout->scratch.bytes : "";
}

static bool is_wanted(const struct layout *layout, enum table_column_need need)
{
    const struct table_form *form = layout->form;
    const bool has[] = {
        [TABLE_ALWAYS] = true,
        [TABLE_NEEDS_TOTAL] = form->total,
        [TABLE_NEEDS_SPLIT] = !form->brief && !layout->narrow,
        [TABLE_NEEDS_NO_SPLIT] = layout->narrow,
        [TABLE_NEEDS_WAITING] = form->waiting,
        [TABLE_NEEDS_UNSAMPLED] = form->unsampled,
    };
    return has[need];
}

static void widen(unsigned *width, unsigned to)
{
    if (to > *width)
        *width = to;
}

/* Sets the width of each number column to its widest cell. Except in comparisons, that is the cell of the total.
 * Returns the sum of the widths. */
static unsigned measure_numbers(struct layout *layout)
{
    unsigned whole = 0;
    for (size_t column = 0; column < layout->column_count; column++) {
        char title[32];
        unsigned *width = &layout->width[column];
        *width = 0;
        if (!is_wanted(layout, layout->columns[column].need))
            continue;
        *width = (unsigned)strlen(column_title(layout, column, title, sizeof title));
        widen(width, (unsigned)strlen(cell_text(layout, column, &layout->total)));
        for (size_t i = 0; i < layout->form->rows->count && layout->form->compare; i++)
            if (!layout->form->rows->items[i].left_out)
                widen(width, (unsigned)strlen(cell_text(layout, column, &layout->form->rows->items[i])));
        widen(width, (unsigned)strlen(cell_text(layout, column, &layout->rest)));
        whole += *width + GAP;
    }
    return whole;
}

/* Like measure_numbers, but omits columns if many would leave too little room for the texts. */
static unsigned choose_numbers(struct layout *layout)
{
    unsigned whole = measure_numbers(layout), width = layout->options->width;
    const struct table_form *form = layout->form;
    layout->narrow = width && whole + ROOM > width && form->waiting && !form->brief && !form->compare;
    return layout->narrow ? measure_numbers(layout) : whole;
}

static void measure_texts(struct layout *layout)
{
    const struct table_form *form = layout->form;
    layout->name = (unsigned)strlen(form->name_title);
    layout->detail = form->detail_title ? (unsigned)strlen(form->detail_title) : 0;
    for (size_t i = 0; i < form->rows->count; i++) {
        if (form->rows->items[i].left_out)
            continue;
        widen(&layout->name, text_columns(clean_text(layout, form->rows->items[i].name)));
        if (form->detail_title)
            widen(&layout->detail, text_columns(clean_text(layout, form->rows->items[i].detail)));
    }
}

/* Shares the remaining width: up to a third for the detail, then the name, and the bar gets the surplus. */
static void share_width(struct layout *layout, unsigned numbers)
{
    unsigned width = layout->options->width;
    layout->name_most = layout->detail_most = UINT32_MAX;
    if (!width) {
        if (layout->name > MOST_PADDING)
            layout->name = MOST_PADDING;
        if (layout->form->most_name)
            layout->name_most = layout->form->most_name;
        return;
    }
    unsigned gap = layout->detail ? GAP : 0;
    unsigned left = width > numbers + gap + LEAST_NAME ? width - numbers - gap : LEAST_NAME;
    if (layout->name + layout->detail > left) {
        unsigned third = left / 3, beside = layout->name < left ? left - layout->name : 0;
        unsigned detail_most = beside > third ? beside : third;
        if (layout->detail > detail_most)
            layout->detail = detail_most;
        if (layout->name > left - layout->detail)
            layout->name = left - layout->detail;
    }
    layout->name_most = layout->name;
    layout->detail_most = layout->detail;
    unsigned over = left - layout->name - layout->detail;
    if (over >= LEAST_BAR + GAP && !layout->form->compare)
        layout->bar = over - GAP < MOST_BAR ? over - GAP : MOST_BAR;
}

static void put_titles(struct buffer *out, const struct layout *layout)
{
    const struct table_form *form = layout->form;
    paint(out, layout, DIM);
    for (size_t column = 0; column < layout->column_count; column++) {
        char title[32];
        if (layout->width[column])
            buffer_printf(out, "%*s  ", (int)layout->width[column], column_title(layout, column, title, sizeof title));
    }
    text_cut(out, form->name_title, layout->name, form->detail_title ? layout->name + GAP : 0, false);
    if (form->detail_title)
        text_cut(out, form->detail_title, layout->detail, 0, false);
    paint(out, layout, PLAIN);
    buffer_puts(out, "\n");
}

/* Returns the time that the rows are sorted by. */
static uint64_t sorted_ns(const struct table_form *form, const struct table_row *row)
{
    return form->by_total ? table_row_total_ns(row) : table_row_ns(row);
}

/* True if ROW is highlighted: its time, or its change, is at least a twentieth of the whole. */
static bool is_large(const struct table_form *form, const struct table_row *row)
{
    int64_t least = (int64_t)(form->whole_ns / 20), change = table_row_change_ns(row);
    if (form->compare)
        return change && !row->by_chance && (change >= least || -change >= least);
    return sorted_ns(form, row) >= (uint64_t)least && (row->samples || row->below_ns);
}

/* True if COLUMN has what makes a row large, see is_large. */
static bool shows_large(const struct layout *layout, const struct table_column *column)
{
    bool total = layout->form->by_total && !layout->form->compare;
    return (column->kind == TABLE_SHARE || column->kind == TABLE_CHANGE) &&
           (column->need == TABLE_NEEDS_TOTAL) == total;
}

static void put_numbers(struct buffer *out, struct layout *layout, const struct table_row *row)
{
    bool large = is_large(layout->form, row);
    for (size_t column = 0; column < layout->column_count; column++) {
        if (!layout->width[column])
            continue;
        const char *text = cell_text(layout, column, row);
        text_spaces(out, layout->width[column] - (unsigned)strlen(text));
        bool stands_out = large && shows_large(layout, &layout->columns[column]);
        if (stands_out)
            paint(out, layout, BOLD);
        buffer_puts(out, text);
        if (stands_out)
            paint(out, layout, PLAIN);
        text_spaces(out, GAP);
    }
}

/* Puts a bar. The largest row has the full length. Uses eighths of a column if the terminal has such characters. */
static void put_bar(struct buffer *out, const struct layout *layout, uint64_t ns)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    uint64_t largest = layout->form->rows->count ? sorted_ns(layout->form, &layout->form->rows->items[0]) : 0;
    uint64_t parts = largest ? text_scaled(ns, layout->bar * (uint64_t)8, largest) : 0;

    if (!layout->options->utf8)
        parts = (parts + 4) / 8 * 8;
    for (; parts >= 8; parts -= 8)
        buffer_puts(out, layout->options->utf8 ? "█" : "#");
    buffer_puts(out, eighths[parts]);
}

static void put_row(struct buffer *out, struct layout *layout, const struct table_row *row)
{
    const struct table_form *form = layout->form;
    bool detail = form->detail_title && row->detail[0];
    put_numbers(out, layout, row);
    form->cut(out, clean_text(layout, row->name), layout->name_most, detail || layout->bar ? layout->name : 0,
              layout->options->utf8);
    if (detail || (layout->bar && form->detail_title)) {
        text_spaces(out, GAP);
        form->cut_detail(out, clean_text(layout, row->detail), layout->detail_most, layout->bar ? layout->detail : 0,
                         layout->options->utf8);
    }
    if (layout->bar) {
        text_spaces(out, GAP);
        paint(out, layout, DIM);
        put_bar(out, layout, sorted_ns(form, row));
        paint(out, layout, PLAIN);
    }
    while (out->length && out->bytes[out->length - 1] == ' ')
        out->length--;
    buffer_puts(out, "\n");
}

static void put_sum(struct buffer *out, struct layout *layout, const struct table_row *row, const char *name)
{
    paint(out, layout, DIM);
    for (size_t column = 0; column < layout->column_count; column++)
        if (layout->width[column]) /* totals of several rows overlap, so their sum is not shown */
            buffer_printf(out, "%*s  ", (int)layout->width[column],
                          layout->columns[column].need == TABLE_NEEDS_TOTAL ? "" : cell_text(layout, column, row));
    buffer_puts(out, name);
    paint(out, layout, PLAIN);
    buffer_puts(out, "\n");
}

/* Puts the row for the omitted rows, with a hint on how to see them if that fits. */
static void put_remainder(struct buffer *out, struct layout *layout, size_t others, unsigned numbers)
{
    const char *hint = layout->form->rest_hint;
    char name[96];
    unsigned width = layout->options->width;
    int plain = snprintf(name, sizeof name, "(%zu %s)", others, text_plural(others, "other", "others"));
    if (hint && (!width || numbers + (unsigned)plain + 2 + (unsigned)strlen(hint) <= width))
        snprintf(name + plain - 1, sizeof name - (size_t)plain + 1, ": %s)", hint);
    put_sum(out, layout, &layout->rest, name);
}

/* Explains the mark of a change, if a shown row has it. */
static void put_legend(struct buffer *out, struct layout *layout)
{
    bool marked = false;
    for (size_t i = 0; i < layout->form->rows->count; i++) {
        const struct table_row *row = &layout->form->rows->items[i];
        marked |= !row->left_out && ((row->by_chance && table_row_change_ns(row)) ||
                                     (layout->form->total && row->total_by_chance && table_row_total_change_ns(row)));
    }
    if (marked)
        buffer_puts(out, "~: the change may be chance (within 3 standard deviations of the counts)\n");
}

void table_layout_put(struct buffer *out, const struct table_form *form, const struct report_options *options)
{
    struct layout layout = {.form = form, .options = options};
    layout.columns = table_columns(form->compare, &layout.column_count);
    for (size_t i = 0; i < form->rows->count; i++)
        table_row_add(&layout.total, &form->rows->items[i]);
    uint64_t ns = table_row_ns(&layout.total), largest = ns > layout.total.base_ns ? ns : layout.total.base_ns;
    layout.unit = text_unit_for(largest);
    struct table_rows_limits limits = {form->max_rows, options->min_percent, largest, form->compare,
                                       options->own_only && form->total && !form->by_total && !form->compare};
    size_t others = table_rows_cut(form->rows, &limits, &layout.rest);
    unsigned numbers = choose_numbers(&layout);
    measure_texts(&layout);
    share_width(&layout, numbers);
    put_titles(out, &layout);
    for (size_t i = 0; i < form->rows->count; i++)
        if (!form->rows->items[i].left_out)
            put_row(out, &layout, &form->rows->items[i]);
    if (others)
        put_remainder(out, &layout, others, numbers);
    put_sum(out, &layout, &layout.total, "total");
    if (form->compare)
        put_legend(out, &layout);
    out->failed |= layout.scratch.failed;
    buffer_fini(&layout.scratch);
}
