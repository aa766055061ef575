/* SPDX-License-Identifier: MIT */
#include "front/top/columns.h"

#include "common/base/buffer.h"
#include "common/text/text.h"
#include "front/top/board.h"
#include "front/top/layout.h"
#include "front/top/live.h"
#include "front/top/view.h"

#include <stdio.h>
#include <string.h>

/* Names keep their usual width if the screen is wide enough, so that the columns next to them do not move. */
enum { LEAST_NAME = 14, USUAL_NAME = 56, WIDE = 50, MOST_DETAIL = 28, GAP = 2, NS = 1000000000 };

/* Which figure. */
enum figure { RECENT_SELF, RECENT_TOTAL, ALL_SELF, ALL_TOTAL, RECENT_CPUS, SECONDS };

struct columns_kind {
    const char *title;
    enum figure figure;
    unsigned width;
};

static const struct columns_kind of_functions[] = {
    {"self", RECENT_SELF, 6}, {"total", RECENT_TOTAL, 7}, {"self", ALL_SELF, 8},
    {"total", ALL_TOTAL, 7},  {"CPU s", SECONDS, 9},
};
static const struct columns_kind of_waiting[] = {
    {"self", RECENT_SELF, 6}, {"total", RECENT_TOTAL, 7}, {"self", ALL_SELF, 8},
    {"total", ALL_TOTAL, 7},  {"wait s", SECONDS, 9},
};
static const struct columns_kind of_threads[] = {
    {"CPU", RECENT_CPUS, 7}, {"share", RECENT_SELF, 7}, {"share", ALL_SELF, 8}, {"CPU s", SECONDS, 9}};

/* By enum view_by. */
static const char *const name_titles[] = {"function", "thread", "process", "function"};
static const char *const detail_titles[] = {"module", "pid/tid", "pid", "module"};

static bool is_of_all(enum figure figure)
{
    return figure == ALL_SELF || figure == ALL_TOTAL || figure == SECONDS;
}

static unsigned width_of_shown(const struct columns *columns)
{
    unsigned width = 0;
    for (size_t i = 0; i < columns->kind_count; i++)
        width += columns->shown[i] ? columns->kinds[i].width : 0;
    return width;
}

static bool sorts_by_total(const struct view *view)
{
    return view_is_of_functions(view) && (view->by_total || view_centre(view) != UINT32_MAX);
}

/* Returns the rank of a column. A narrow screen drops the column that sorts the rows last. */
static unsigned rank_of(const struct view *view, enum figure figure)
{
    bool total = figure == RECENT_TOTAL || figure == ALL_TOTAL;
    if (figure == SECONDS)
        return COLUMNS_MOST - 1;
    bool second = view_is_of_functions(view) ? total != sorts_by_total(view) : figure == RECENT_SELF;
    return (second ? 2u : 0u) + (is_of_all(figure) != view->by_all ? 1u : 0u);
}

/* Chooses columns in the order of their ranks, while a name has room next to them. The first is always chosen. */
static void choose_columns(struct columns *columns, const struct layout_source *source)
{
    for (unsigned rank = 0; rank < COLUMNS_MOST; rank++)
        for (size_t i = 0; i < columns->kind_count; i++) {
            if (rank_of(source->view, columns->kinds[i].figure) != rank ||
                (source->view->stored && !is_of_all(columns->kinds[i].figure)))
                continue;
            columns->shown[i] = true;
            if (rank && source->width && width_of_shown(columns) + GAP + LEAST_NAME > source->width) {
                columns->shown[i] = false;
                return;
            }
        }
}

static unsigned columns_of(const char *text, bool utf8)
{
    struct buffer clean = {0};
    text_clean(&clean, text, utf8);
    unsigned columns = text_columns(clean.bytes ? clean.bytes : "");
    buffer_fini(&clean);
    return columns;
}

static unsigned indent_of(const struct board_row *row)
{
    return row->part == BOARD_CENTRE ? 2 : row->part == BOARD_CALLEE ? 4 : 0;
}

/* Sets the widest name and the widest detail of the visible rows and their titles. */
static void measure_texts(const struct layout_source *source, size_t first, size_t count, unsigned *name,
                          unsigned *detail)
{
    const struct board *board = source->board;
    *name = (unsigned)strlen(name_titles[source->view->by]);
    *detail = (unsigned)strlen(detail_titles[source->view->by]);
    for (size_t i = first; i < board->count && i - first < count; i++) {
        struct board_texts texts;
        board_texts(source->from, source->view, &board->items[i], &texts);
        unsigned one = columns_of(texts.name, source->utf8) + indent_of(&board->items[i]),
                 other = columns_of(texts.detail, source->utf8);
        *name = one > *name ? one : *name;
        *detail = other > *detail ? other : *detail;
    }
}

void columns_fit(struct columns *columns, const struct layout_source *source, size_t first, size_t count)
{
    unsigned name, detail;
    bool functions = view_is_of_functions(source->view);
    *columns = (struct columns){.kinds = source->view->by == VIEW_WAITING ? of_waiting
                                         : functions                      ? of_functions
                                                                          : of_threads};
    columns->kind_count =
        functions ? sizeof of_functions / sizeof *of_functions : sizeof of_threads / sizeof *of_threads;
    choose_columns(columns, source);
    measure_texts(source, first, count, &name, &detail);
    if (!source->width) {
        columns->name = name;
        columns->detail = detail;
        return;
    }
    unsigned taken = width_of_shown(columns) + GAP, left = source->width > taken ? source->width - taken : 1;
    columns->name = left;
    if (functions && detail > MOST_DETAIL)
        detail = MOST_DETAIL;
    bool fits = name + GAP + detail <= left, wide = left >= WIDE || (!functions && left >= detail + GAP + 8);
    if (!fits && !wide)
        return;
    columns->detail = detail;
    columns->name = left - detail - GAP;
    if (fits && columns->name > USUAL_NAME)
        columns->name = name > USUAL_NAME ? name : USUAL_NAME;
}

/* Appends TEXT, right-aligned in a column of WIDTH. */
static void put_right(struct buffer *line, const char *text, unsigned width)
{
    unsigned taken = text_columns(text);
    text_spaces(line, width > taken ? width - taken : 0);
    buffer_puts(line, text);
}

void columns_groups(const struct columns *columns, const struct layout_source *source, struct buffer *line)
{
    unsigned recent = 0, all = 0;
    char title[32];
    for (size_t i = 0; i < columns->kind_count; i++)
        if (columns->shown[i])
            *(is_of_all(columns->kinds[i].figure) ? &all : &recent) += columns->kinds[i].width;
    uint64_t seconds = (source->from->picture->recent_ns + NS / 2) / NS;
    snprintf(title, sizeof title, "last %u s", seconds ? (unsigned)seconds : source->view->seconds);
    put_right(line, text_columns(title) < recent ? title : "", recent);
    put_right(line, text_columns("all") < all ? "all" : "", all);
}

void columns_titles(const struct columns *columns, const struct layout_source *source, struct buffer *line)
{
    enum view_by by = source->view->by;
    char title[16];
    for (size_t i = 0; i < columns->kind_count; i++) {
        const struct columns_kind *kind = &columns->kinds[i];
        snprintf(title, sizeof title, "%s%s", rank_of(source->view, kind->figure) ? "" : "*", kind->title);
        if (columns->shown[i])
            put_right(line, title, kind->width);
    }
    text_spaces(line, GAP);
    text_cut(line, name_titles[by], columns->name, columns->detail ? columns->name : 0, source->utf8);
    if (!columns->detail)
        return;
    text_spaces(line, GAP);
    buffer_puts(line, detail_titles[by]);
}

static void put_share(struct buffer *cell, uint64_t part, uint64_t whole)
{
    if (!part)
        return;
    text_percent(cell, part, whole);
    buffer_puts(cell, "%");
}

static void put_figure(struct buffer *cell, const struct layout_source *source, const struct board_row *row,
                       enum figure figure)
{
    const struct board *board = source->board;
    switch (figure) {
    case RECENT_SELF:
        put_share(cell, row->recent.self_ns, board->recent_ns);
        break;
    case RECENT_TOTAL:
        put_share(cell, row->recent.total_ns, board->recent_ns);
        break;
    case ALL_SELF:
        put_share(cell, row->all.self_ns, board->all_ns);
        break;
    case ALL_TOTAL:
        put_share(cell, row->all.total_ns, board->all_ns);
        break;
    case RECENT_CPUS:
        put_share(cell, row->recent.self_ns, source->from->picture->recent_ns);
        break;
    case SECONDS:
        text_time(cell, sorts_by_total(source->view) ? row->all.total_ns : row->all.self_ns,
                  (struct text_unit){"s", NS, 2});
        break;
    }
}

static void put_names(const struct columns *columns, const struct layout_source *source, const struct board_row *row,
                      struct buffer *line)
{
    struct board_texts texts;
    struct buffer name = {0}, detail = {0};
    board_texts(source->from, source->view, row, &texts);
    unsigned indent = indent_of(row) < columns->name ? indent_of(row) : columns->name, width = columns->name - indent;
    text_clean(&name, texts.name, source->utf8);
    text_clean(&detail, texts.detail, source->utf8);
    text_spaces(line, indent);
    text_cut_name(line, name.bytes ? name.bytes : "", width, columns->detail ? width : 0, source->utf8);
    if (columns->detail) {
        text_spaces(line, GAP);
        text_cut_end(line, detail.bytes ? detail.bytes : "", columns->detail, 0, source->utf8);
    }
    line->failed |= name.failed || detail.failed;
    buffer_fini(&name);
    buffer_fini(&detail);
}

void columns_row(const struct columns *columns, const struct layout_source *source, const struct board_row *row,
                 struct buffer *line)
{
    struct buffer cell = {0};
    for (size_t i = 0; i < columns->kind_count; i++) {
        if (!columns->shown[i])
            continue;
        cell.length = 0;
        if (cell.bytes)
            cell.bytes[0] = 0;
        put_figure(&cell, source, row, columns->kinds[i].figure);
        put_right(line, cell.bytes ? cell.bytes : "", columns->kinds[i].width);
    }
    text_spaces(line, GAP);
    put_names(columns, source, row, line);
    line->failed |= cell.failed;
    buffer_fini(&cell);
}
