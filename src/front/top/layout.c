/* SPDX-License-Identifier: MIT */
#include "front/top/layout.h"

#include "common/base/array.h"
#include "common/text/text.h"
#include "front/top/board.h"
#include "front/top/columns.h"
#include "front/top/live.h"
#include "front/top/view.h"

#include <stdlib.h>
#include <string.h>

enum { FULL_HEIGHT = 10, MIDDLE_HEIGHT = 7, LOW_HEIGHT = 3, NS = 1000000000 };

void layout_free(struct layout *layout)
{
    for (size_t i = 0; i < layout->room; i++)
        buffer_fini(&layout->items[i].text);
    free(layout->items);
    memset(layout, 0, sizeof *layout);
}

/* Appends an empty line. Never returns NULL: without memory, the line is not shown. */
static struct buffer *add_line(struct layout *layout, enum layout_style style)
{
    static struct buffer nothing;
    size_t room = layout->room;
    nothing.length = 0;
    if (layout->count == room) {
        if (!ARRAY_RESERVE_ONE(layout)) {
            layout->failed = true;
            return &nothing;
        }
        memset(layout->items + room, 0, (layout->room - room) * sizeof *layout->items);
    }
    struct layout_line *line = &layout->items[layout->count++];
    line->style = style;
    line->text.length = 0;
    line->text.failed = false;
    if (line->text.bytes)
        line->text.bytes[0] = 0;
    return &line->text;
}

/* Appends TEXT, which is clean, as a line cut to the width. */
static void add_cut(struct layout *layout, const struct layout_source *source, const struct buffer *text,
                    enum layout_style style)
{
    struct buffer *line = add_line(layout, style);
    unsigned width = source->width ? source->width : UINT32_MAX;
    bool bar = style == LAYOUT_TITLE || style == LAYOUT_HEAD || style == LAYOUT_SELECTED;
    text_cut(line, text->bytes ? text->bytes : "", width, bar ? source->width : 0, source->utf8);
}

static void put_title(struct layout *layout, const struct layout_source *source)
{
    struct buffer text = {0};
    buffer_printf(&text, "%s%sptprofil %s: ", source->head.ended ? "[ended] " : "",
                  source->view->paused ? "[paused] " : "", source->view->stored ? "report" : "top");
    text_clean(&text, source->head.target, source->utf8);
    add_cut(layout, source, &text, LAYOUT_TITLE);
    buffer_fini(&text);
}

static void put_time(struct buffer *text, const struct live_counts *counts, bool wall)
{
    text_duration(text, counts->cpu_ns);
    buffer_puts(text, wall ? " running, " : " of CPU time");
    if (wall) {
        text_duration(text, counts->wait_ns);
        buffer_puts(text, " waiting");
    }
}

static void put_status(struct layout *layout, const struct layout_source *source)
{
    const struct live_picture *picture = source->from->picture;
    struct buffer text = {0};
    if (source->head.state)
        buffer_printf(&text, "%s; ", source->head.state);
    uint64_t hundredths = picture->recent_ns ? text_scaled(picture->recent_sum.cpu_ns, 100, picture->recent_ns) : 0;
    if (!source->view->stored)
        buffer_printf(&text, "last %llu s: %llu.%02llu CPUs, %llu samples; all %llu s: ",
                      (unsigned long long)((picture->recent_ns + NS / 2) / NS), (unsigned long long)(hundredths / 100),
                      (unsigned long long)(hundredths % 100), (unsigned long long)picture->recent_sum.count,
                      (unsigned long long)((picture->all_ns + NS / 2) / NS));
    put_time(&text, &picture->all_sum, source->view->wall);
    buffer_printf(&text, ", %llu samples", (unsigned long long)picture->all_sum.count);
    add_cut(layout, source, &text, LAYOUT_PLAIN);
    buffer_fini(&text);
}

/* Puts the selections that all rows belong to. */
static void put_zooms(struct buffer *text, const struct layout_source *source)
{
    for (size_t i = 0; i < source->view->zoom_count; i++) {
        const struct view_zoom *zoom = &source->view->zooms[i];
        const struct view of = {.by = zoom->by};
        struct board_texts texts;
        board_texts(source->from, &of, &(struct board_row){.id = zoom->id}, &texts);
        buffer_puts(text, i ? " > " : "  in: ");
        text_clean(text, texts.name, source->utf8);
        if (!view_is_of_functions(&of))
            buffer_printf(text, " %s", texts.number);
    }
}

static void put_view(struct layout *layout, const struct layout_source *source)
{
    const struct view *view = source->view;
    struct buffer text = {0};
    for (enum view_by by = VIEW_FUNCTIONS; by < VIEWS; by++)
        if (by != VIEW_WAITING || view->wall)
            buffer_printf(&text, by == view->by ? "[%s]" : " %s ", view_name(by));
    if (view->filter[0]) {
        buffer_puts(&text, "  filter: ");
        text_clean(&text, view->filter, source->utf8);
        buffer_printf(&text, " (%zu hidden)", source->board->hidden);
    }
    put_zooms(&text, source);
    add_cut(layout, source, &text, LAYOUT_PLAIN);
    buffer_fini(&text);
}

static void put_heads(struct layout *layout, const struct layout_source *source, const struct columns *columns,
                      bool groups)
{
    struct buffer text = {0};
    if (groups) {
        columns_groups(columns, source, &text);
        add_cut(layout, source, &text, LAYOUT_FAINT);
        text.length = 0;
    }
    columns_titles(columns, source, &text);
    add_cut(layout, source, &text, LAYOUT_HEAD);
    buffer_fini(&text);
}

static enum layout_style style_of(const struct layout_source *source, const struct board_row *row, bool selected)
{
    const struct board *board = source->board;
    bool hot = board->recent_ns && row->recent.self_ns >= board->recent_ns / 20;
    if (selected)
        return LAYOUT_SELECTED;
    return hot || row->part == BOARD_CENTRE ? LAYOUT_HOT : LAYOUT_PLAIN;
}

/* Puts COUNT rows from FIRST on. CURSOR: marks the row at the cursor. */
static void put_rows(struct layout *layout, const struct layout_source *source, const struct columns *columns,
                     size_t first, size_t count, bool cursor)
{
    const struct board *board = source->board;
    struct buffer text = {0};
    for (size_t i = first; i < board->count && i < first + count; i++) {
        text.length = 0;
        columns_row(columns, source, &board->items[i], &text);
        add_cut(layout, source, &text, style_of(source, &board->items[i], cursor && i == source->view->selected));
    }
    if (!board->count) {
        buffer_puts(&text, source->view->filter[0] ? "nothing matches the filter" : "nothing has been sampled yet");
        add_cut(layout, source, &text, LAYOUT_FAINT);
    }
    buffer_fini(&text);
}

/* Views that have a key. */
enum { LIVE = 1, STORED = 2, BOTH = LIVE | STORED };

static bool is_for(const struct layout_source *source, unsigned views)
{
    return views & (source->view->stored ? STORED : LIVE);
}

static const struct {
    unsigned views;
    const char *key, *meaning;
} helps[] = {
    {LIVE, "q", "leave: the profiled program goes on"},
    {STORED, "q", "leave"},
    {LIVE, "p, Space", "freeze the display; sampling continues"},
    {BOTH, "s", "sort by self time, or by total: with callees (*)"},
    {LIVE, "a", "sort by the last seconds, or by all"},
    {BOTH, "w, Tab, 1 to 4", "functions, threads, processes, waiting"},
    {BOTH, "Enter", "look into: callers and callees, or a thread's functions"},
    {BOTH, "Backspace, Esc", "go back"},
    {STORED, "A", "annotate: source lines and instructions with their times"},
    {BOTH, "/", "only names that match (a regular expression)"},
    {LIVE, "+ -", "more or fewer last seconds"},
    {LIVE, "z", "restart: totals count from now on"},
    {LIVE, "W", "write the view (.txt), or everything (.pb.gz, .html ...)"},
    {BOTH, "arrows, j k, Page, g G", "move"},
    {BOTH, "? h", "this help"},
};

static void put_help(struct layout *layout, const struct layout_source *source)
{
    struct buffer text = {0};
    unsigned pad = source->width >= 60 ? 24 : 6;
    for (size_t i = 0; i < sizeof helps / sizeof *helps && layout->count + 1 < source->height; i++) {
        if (!is_for(source, helps[i].views))
            continue;
        text.length = 0;
        text_cut(&text, helps[i].key, pad - 1, pad, source->utf8);
        buffer_puts(&text, helps[i].meaning);
        add_cut(layout, source, &text, LAYOUT_PLAIN);
    }
    buffer_fini(&text);
}

/* Puts as many keys as fit, the most important first. */
static void put_keys(struct buffer *text, const struct layout_source *source)
{
    static const struct {
        unsigned views;
        const char *text;
    } keys[] = {{BOTH, "q quit"},     {BOTH, "? help"},  {BOTH, "Enter callers"}, {BOTH, "Bksp back"},
                {STORED, "A source"}, {BOTH, "w view"},  {BOTH, "s self/total"},  {BOTH, "/ filter"},
                {LIVE, "p pause"},    {LIVE, "W write"}, {LIVE, "a all"},         {LIVE, "+- seconds"},
                {LIVE, "z zero"}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (!is_for(source, keys[i].views))
            continue;
        if (text->length + strlen(keys[i].text) + 2 > source->width)
            return;
        buffer_printf(text, "%s%s", i ? "  " : "", keys[i].text);
    }
}

/* Puts the text being typed. If it is too wide, shows its end. */
static void put_prompt(struct layout *layout, const struct layout_source *source, struct buffer *text)
{
    const char *title = source->view->prompt == VIEW_FILTER ? "filter: " : "write to: ";
    struct buffer clean = {0};
    unsigned taken = (unsigned)strlen(title), width = source->width;
    if (width < 2 * taken)
        taken = 0;
    buffer_puts(text, taken ? title : "");
    text_clean(&clean, source->view->input, source->utf8);
    const char *shown = clean.bytes ? clean.bytes : "";
    while (text_columns(shown) + taken + 1 > width && *shown) {
        shown++;
        while ((*shown & 0xc0) == 0x80)
            shown++;
    }
    buffer_puts(text, shown);
    layout->typing = true;
    layout->cursor = taken + text_columns(shown);
    buffer_fini(&clean);
}

static void put_foot(struct layout *layout, const struct layout_source *source)
{
    const struct view *view = source->view;
    struct buffer text = {0};
    if (view->prompt)
        put_prompt(layout, source, &text);
    else if (view->message[0])
        text_clean(&text, view->message, source->utf8);
    else if (view->help)
        buffer_puts(&text, "any key goes back, q leaves");
    else
        put_keys(&text, source);
    add_cut(layout, source, &text, view->prompt || view->message[0] ? LAYOUT_PLAIN : LAYOUT_TITLE);
    buffer_fini(&text);
}

size_t layout_rows_of(unsigned height)
{
    unsigned others = height >= FULL_HEIGHT ? 6 : height >= MIDDLE_HEIGHT ? 4 : height >= LOW_HEIGHT ? 3 : 0;
    return height > others ? height - others : 1;
}

static void begin_layout(struct layout *layout)
{
    layout->count = 0;
    layout->typing = layout->failed = false;
}

void layout_screen(struct layout *layout, const struct layout_source *source)
{
    unsigned height = source->height;
    struct columns columns;
    begin_layout(layout);
    if (height >= LOW_HEIGHT)
        put_title(layout, source);
    if (source->view->help) {
        put_help(layout, source);
    } else {
        size_t fit = layout_rows_of(height);
        columns_fit(&columns, source, source->view->top, fit);
        if (height >= MIDDLE_HEIGHT)
            put_status(layout, source);
        if (height >= FULL_HEIGHT)
            put_view(layout, source);
        if (height >= LOW_HEIGHT)
            put_heads(layout, source, &columns, height >= FULL_HEIGHT);
        put_rows(layout, source, &columns, source->view->top, fit, true);
    }
    bool foot = height >= LOW_HEIGHT || source->view->prompt || source->view->message[0];
    while (foot && layout->count + 1 < height)
        add_line(layout, LAYOUT_PLAIN);
    if (foot && height) {
        layout->count = layout->count < height ? layout->count : height - 1;
        put_foot(layout, source);
    }
}

void layout_lines(struct layout *layout, const struct layout_source *source, const char *text, size_t first)
{
    struct buffer line = {0};
    begin_layout(layout);
    put_title(layout, source);
    for (size_t number = 0; *text && layout->count + 1 < source->height; number++) {
        size_t length = strcspn(text, "\n");
        line.length = 0;
        buffer_append(&line, text, length);
        if (number >= first)
            add_cut(layout, source, &line, LAYOUT_PLAIN);
        text += length + (text[length] != 0);
    }
    while (layout->count + 1 < source->height)
        add_line(layout, LAYOUT_PLAIN);
    line.length = 0;
    buffer_puts(&line, "Bksp back  q quit");
    add_cut(layout, source, &line, LAYOUT_TITLE);
    buffer_fini(&line);
}

void layout_text(struct layout *layout, const struct layout_source *source, size_t most)
{
    struct columns columns;
    begin_layout(layout);
    columns_fit(&columns, source, 0, most ? most : SIZE_MAX);
    put_title(layout, source);
    put_status(layout, source);
    put_view(layout, source);
    put_heads(layout, source, &columns, true);
    put_rows(layout, source, &columns, 0, most ? most : SIZE_MAX, false);
    if (most && source->board->count > most) {
        struct buffer text = {0};
        buffer_printf(&text, "(%zu more rows)", source->board->count - most);
        add_cut(layout, source, &text, LAYOUT_FAINT);
        buffer_fini(&text);
    }
}
