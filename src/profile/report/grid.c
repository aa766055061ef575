/* SPDX-License-Identifier: MIT */
#include "profile/report/grid.h"

#include "common/text/text.h"

#include <stdio.h>
#include <string.h>

enum column {
    SAMPLES,
    BASE,
    BASE_COUNT,
    CPU,
    COUNT,
    CHANGE,
    TOTAL_CHANGE,
    SELF,
    TOTAL,
    USER,
    SYSTEM,
    RUNNING, /* user and system together, if two columns do not fit beside the waiting time */
    WAITING,
    UNSAMPLED,
    COLUMNS
};

enum kind { NUMBER, TIME, TIME_OF_SAMPLES, SHARE, CHANGE_OF_TIME };
enum need { NEEDS_NOTHING, NEEDS_TOTAL, NEEDS_SPLIT, NEEDS_NO_SPLIT, NEEDS_WAITING, NEEDS_UNSAMPLED };

static const struct {
    const char *title;
    enum kind kind;
    bool plain, compared; /* tables that have the column */
    enum need need;
} columns[COLUMNS] = {
    [SAMPLES] = {"samples", NUMBER, true, false, NEEDS_NOTHING},
    [BASE] = {"base", TIME, false, true, NEEDS_NOTHING},
    [BASE_COUNT] = {"count", NUMBER, false, true, NEEDS_NOTHING},
    [CPU] = {"CPU", TIME, true, true, NEEDS_NOTHING},
    [COUNT] = {"count", NUMBER, false, true, NEEDS_NOTHING},
    [CHANGE] = {"self", CHANGE_OF_TIME, false, true, NEEDS_NOTHING},
    [TOTAL_CHANGE] = {"total", CHANGE_OF_TIME, false, true, NEEDS_TOTAL},
    [SELF] = {"self", SHARE, true, false, NEEDS_NOTHING},
    [TOTAL] = {"total", SHARE, true, false, NEEDS_TOTAL},
    [USER] = {"user", TIME_OF_SAMPLES, true, false, NEEDS_SPLIT},
    [SYSTEM] = {"system", TIME_OF_SAMPLES, true, false, NEEDS_SPLIT},
    [RUNNING] = {"running", TIME_OF_SAMPLES, true, false, NEEDS_NO_SPLIT},
    [WAITING] = {"waiting", TIME, true, false, NEEDS_WAITING},
    [UNSAMPLED] = {"unsampled", TIME, true, false, NEEDS_UNSAMPLED},
};

enum {
    GAP = 2,         /* columns between two cells */
    LEAST_NAME = 12, /* if less would remain, the table is wider than the terminal */
    ROOM = 30,       /* width that texts should have, if some numbers can be omitted */
    LEAST_BAR = 6,   /* shorter bars show nothing */
    MOST_BAR = 24,
    MOST_PADDING = 60, /* without a width: longer names move their row's detail to the right */
};

struct layout {
    const struct grid *grid;
    const struct report_options *options;
    struct row total, rest; /* rest: sum of the omitted rows */
    struct text_unit unit;
    unsigned width[COLUMNS];  /* 0: no such column */
    unsigned name, name_most; /* width of the column, and maximum width of a text in it */
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

static const char *column_title(const struct layout *layout, enum column column, char *text, size_t size)
{
    if (column != CPU && column != BASE)
        return columns[column].title;
    bool wall = column == CPU && layout->grid->waiting;
    snprintf(text, size, "%s %s", wall ? "wall" : columns[column].title, layout->unit.name);
    return text;
}

/* Marks a change that chance explains. */
static void put_change(struct buffer *out, const struct layout *layout, int64_t change_ns, bool by_chance)
{
    text_change(out, change_ns, layout->unit);
    buffer_puts(out, by_chance && change_ns ? "~" : " ");
}

static void put_cell(struct buffer *out, const struct layout *layout, enum column column, const struct row *row)
{
    const uint64_t values[COLUMNS] = {
        [SAMPLES] = row->samples,         [BASE] = row->base_ns,
        [BASE_COUNT] = row->base_samples, [CPU] = row_ns(row),
        [COUNT] = row->samples,           [SELF] = row_ns(row),
        [TOTAL] = row_total_ns(row),      [USER] = row->user_ns,
        [SYSTEM] = row->system_ns,        [RUNNING] = row->user_ns + row->system_ns,
        [WAITING] = row->waiting_ns,      [UNSAMPLED] = row->unsampled_ns,
    };
    bool only_unsampled = row->unsampled_ns && !row->samples && !row->user_ns && !row->system_ns;
    switch (columns[column].kind) {
    case NUMBER:
        buffer_number(out, values[column]);
        break;
    case TIME_OF_SAMPLES:
        if (only_unsampled) { /* unknown */
            buffer_puts(out, "-");
            break;
        }
        __attribute__((fallthrough));
    case TIME:
        text_time(out, values[column], layout->unit);
        break;
    case SHARE:
        text_percent(out, values[column], layout->grid->whole_ns);
        buffer_puts(out, "%");
        break;
    case CHANGE_OF_TIME:
        if (column == CHANGE)
            put_change(out, layout, row_change_ns(row), row->by_chance);
        else
            put_change(out, layout, row_total_change_ns(row), row->total_by_chance);
    }
}

/* Returns the column's cell for ROW, valid until the next call. */
static const char *cell_text(struct layout *layout, enum column column, const struct row *row)
{
    layout->scratch.length = 0;
    put_cell(&layout->scratch, layout, column, row);
    return layout->scratch.bytes ? layout->scratch.bytes : "";
}

/* Returns TEXT cleaned, valid until the next call. */
static const char *clean_text(struct layout *layout, const char *text)
{
    layout->scratch.length = 0;
    text_clean(&layout->scratch, text, layout->options->utf8);
    return layout->scratch.bytes ? layout->scratch.bytes : "";
}

static bool is_wanted(const struct layout *layout, enum column column)
{
    const struct grid *grid = layout->grid;
    const bool has[] = {
        [NEEDS_NOTHING] = true,
        [NEEDS_TOTAL] = grid->total,
        [NEEDS_SPLIT] = !grid->brief && !layout->narrow,
        [NEEDS_NO_SPLIT] = layout->narrow,
        [NEEDS_WAITING] = grid->waiting,
        [NEEDS_UNSAMPLED] = grid->unsampled,
    };
    return (grid->compare ? columns[column].compared : columns[column].plain) && has[columns[column].need];
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
    for (enum column column = 0; column < COLUMNS; column++) {
        char title[32];
        unsigned *width = &layout->width[column];
        *width = 0;
        if (!is_wanted(layout, column))
            continue;
        *width = (unsigned)strlen(column_title(layout, column, title, sizeof title));
        widen(width, (unsigned)strlen(cell_text(layout, column, &layout->total)));
        for (size_t i = 0; i < layout->grid->rows->count && layout->grid->compare; i++)
            if (!layout->grid->rows->items[i].left_out)
                widen(width, (unsigned)strlen(cell_text(layout, column, &layout->grid->rows->items[i])));
        widen(width, (unsigned)strlen(cell_text(layout, column, &layout->rest)));
        whole += *width + GAP;
    }
    return whole;
}

/* Like measure_numbers, but omits columns if many would leave too little room for the texts. */
static unsigned choose_numbers(struct layout *layout)
{
    unsigned whole = measure_numbers(layout), width = layout->options->width;
    const struct grid *grid = layout->grid;
    layout->narrow = width && whole + ROOM > width && grid->waiting && !grid->brief && !grid->compare;
    return layout->narrow ? measure_numbers(layout) : whole;
}

static void measure_texts(struct layout *layout)
{
    const struct grid *grid = layout->grid;
    layout->name = (unsigned)strlen(grid->name_title);
    layout->detail = grid->detail_title ? (unsigned)strlen(grid->detail_title) : 0;
    for (size_t i = 0; i < grid->rows->count; i++) {
        if (grid->rows->items[i].left_out)
            continue;
        widen(&layout->name, text_columns(clean_text(layout, grid->rows->items[i].name)));
        if (grid->detail_title)
            widen(&layout->detail, text_columns(clean_text(layout, grid->rows->items[i].detail)));
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
        if (layout->grid->most_name)
            layout->name_most = layout->grid->most_name;
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
    if (over >= LEAST_BAR + GAP && !layout->grid->compare)
        layout->bar = over - GAP < MOST_BAR ? over - GAP : MOST_BAR;
}

static void put_titles(struct buffer *out, const struct layout *layout)
{
    const struct grid *grid = layout->grid;
    paint(out, layout, DIM);
    for (enum column column = 0; column < COLUMNS; column++) {
        char title[32];
        if (layout->width[column])
            buffer_printf(out, "%*s  ", (int)layout->width[column], column_title(layout, column, title, sizeof title));
    }
    text_cut(out, grid->name_title, layout->name, grid->detail_title ? layout->name + GAP : 0, false);
    if (grid->detail_title)
        text_cut(out, grid->detail_title, layout->detail, 0, false);
    paint(out, layout, PLAIN);
    buffer_puts(out, "\n");
}

/* Returns the time that the rows are sorted by. */
static uint64_t sorted_ns(const struct grid *grid, const struct row *row)
{
    return grid->by_total ? row_total_ns(row) : row_ns(row);
}

/* True if ROW is highlighted: its time, or its change, is at least a twentieth of the whole. */
static bool is_large(const struct grid *grid, const struct row *row)
{
    int64_t least = (int64_t)(grid->whole_ns / 20), change = row_change_ns(row);
    if (grid->compare)
        return change && !row->by_chance && (change >= least || -change >= least);
    return sorted_ns(grid, row) >= (uint64_t)least && (row->samples || row->below_ns);
}

static void put_numbers(struct buffer *out, struct layout *layout, const struct row *row)
{
    bool large = is_large(layout->grid, row);
    for (enum column column = 0; column < COLUMNS; column++) {
        if (!layout->width[column])
            continue;
        const char *text = cell_text(layout, column, row);
        text_spaces(out, layout->width[column] - (unsigned)strlen(text));
        bool stands_out = large && (column == (layout->grid->by_total ? TOTAL : SELF) || column == CHANGE);
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
    uint64_t largest = layout->grid->rows->count ? sorted_ns(layout->grid, &layout->grid->rows->items[0]) : 0;
    uint64_t parts = largest ? text_scaled(ns, layout->bar * (uint64_t)8, largest) : 0;

    if (!layout->options->utf8)
        parts = (parts + 4) / 8 * 8;
    for (; parts >= 8; parts -= 8)
        buffer_puts(out, layout->options->utf8 ? "█" : "#");
    buffer_puts(out, eighths[parts]);
}

static void put_row(struct buffer *out, struct layout *layout, const struct row *row)
{
    const struct grid *grid = layout->grid;
    bool detail = grid->detail_title && row->detail[0];
    put_numbers(out, layout, row);
    grid->cut(out, clean_text(layout, row->name), layout->name_most, detail || layout->bar ? layout->name : 0,
              layout->options->utf8);
    if (detail || (layout->bar && grid->detail_title)) {
        text_spaces(out, GAP);
        grid->cut_detail(out, clean_text(layout, row->detail), layout->detail_most, layout->bar ? layout->detail : 0,
                         layout->options->utf8);
    }
    if (layout->bar) {
        text_spaces(out, GAP);
        paint(out, layout, DIM);
        put_bar(out, layout, sorted_ns(grid, row));
        paint(out, layout, PLAIN);
    }
    while (out->length && out->bytes[out->length - 1] == ' ')
        out->length--;
    buffer_puts(out, "\n");
}

static void put_sum(struct buffer *out, struct layout *layout, const struct row *row, const char *name)
{
    paint(out, layout, DIM);
    for (enum column column = 0; column < COLUMNS; column++)
        if (layout->width[column]) /* totals of several rows overlap, so their sum is not shown */
            buffer_printf(out, "%*s  ", (int)layout->width[column],
                          column == TOTAL || column == TOTAL_CHANGE ? "" : cell_text(layout, column, row));
    buffer_puts(out, name);
    paint(out, layout, PLAIN);
    buffer_puts(out, "\n");
}

/* Puts the row for the omitted rows, with a hint on how to see them if that fits. */
static void put_remainder(struct buffer *out, struct layout *layout, size_t others, unsigned numbers)
{
    const char *const hints[] = {layout->grid->rest_hint, layout->grid->short_hint};
    char name[96];
    unsigned width = layout->options->width;
    int plain = snprintf(name, sizeof name, "(%zu %s)", others, text_plural(others, "other", "others"));
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
        if (!hints[i] || (width && numbers + (unsigned)plain + 2 + (unsigned)strlen(hints[i]) > width))
            continue;
        snprintf(name + plain - 1, sizeof name - (size_t)plain + 1, ": %s)", hints[i]);
        break;
    }
    put_sum(out, layout, &layout->rest, name);
}

/* Explains the mark of a change, if a shown row has it. */
static void put_legend(struct buffer *out, struct layout *layout)
{
    bool marked = false;
    for (size_t i = 0; i < layout->grid->rows->count; i++) {
        const struct row *row = &layout->grid->rows->items[i];
        marked |= !row->left_out && ((row->by_chance && row_change_ns(row)) ||
                                     (layout->grid->total && row->total_by_chance && row_total_change_ns(row)));
    }
    if (marked)
        buffer_puts(out, "~: the change may be chance (within 3 standard deviations of the counts)\n");
}

void grid_put(struct buffer *out, const struct grid *grid, const struct report_options *options)
{
    struct layout layout = {.grid = grid, .options = options};
    for (size_t i = 0; i < grid->rows->count; i++)
        row_add(&layout.total, &grid->rows->items[i]);
    uint64_t ns = row_ns(&layout.total), largest = ns > layout.total.base_ns ? ns : layout.total.base_ns;
    layout.unit = text_unit_for(largest);
    struct rows_limits limits = {grid->max_rows, options->min_percent, largest, grid->compare,
                                 options->own_only && grid->total && !grid->by_total && !grid->compare};
    size_t others = rows_cut(grid->rows, &limits, &layout.rest);
    unsigned numbers = choose_numbers(&layout);
    measure_texts(&layout);
    share_width(&layout, numbers);
    put_titles(out, &layout);
    for (size_t i = 0; i < grid->rows->count; i++)
        if (!grid->rows->items[i].left_out)
            put_row(out, &layout, &grid->rows->items[i]);
    if (others)
        put_remainder(out, &layout, others, numbers);
    put_sum(out, &layout, &layout.total, "total");
    if (grid->compare)
        put_legend(out, &layout);
    out->failed |= layout.scratch.failed;
    buffer_fini(&layout.scratch);
}
