/* SPDX-License-Identifier: MIT */
#include "front/top/view.h"

#include <stdio.h>
#include <string.h>

const unsigned view_seconds[] = {1, 2, 5, 10, 20, 30, 60, 0};

void view_begin(struct view *view, bool wall, unsigned seconds)
{
    *view = (struct view){.wall = wall, .seconds = seconds};
    snprintf(view->file, sizeof view->file, "ptprofil-top.txt");
}

const char *view_name(enum view_by by)
{
    static const char *const names[] = {
        [VIEW_FUNCTIONS] = "functions",
        [VIEW_THREADS] = "threads",
        [VIEW_PROCESSES] = "processes",
        [VIEW_WAITING] = "waiting",
    };
    return names[by];
}

static bool is_of_functions(enum view_by by)
{
    return by == VIEW_FUNCTIONS || by == VIEW_WAITING;
}

bool view_is_of_functions(const struct view *view)
{
    return is_of_functions(view->by);
}

uint32_t view_centre(const struct view *view)
{
    const struct view_zoom *last = view->zoom_count ? &view->zooms[view->zoom_count - 1] : NULL;
    return last && is_of_functions(last->by) && view_is_of_functions(view) ? last->id : UINT32_MAX;
}

uint32_t view_scope(const struct view *view, enum view_by by)
{
    for (size_t i = view->zoom_count; i-- > 0;)
        if (view->zooms[i].by == by)
            return view->zooms[i].id;
    return UINT32_MAX;
}

static void go_to_top(struct view *view)
{
    view->selected = view->top = 0;
}

static void set_message(struct view *view, const char *text)
{
    snprintf(view->message, sizeof view->message, "%s", text);
}

static enum view_action show_view(struct view *view, enum view_by by)
{
    if (by == VIEW_WAITING && !view->wall) {
        set_message(view, "waiting is not sampled: start with --clock=wall");
        return VIEW_DRAW;
    }
    view->by = by;
    go_to_top(view);
    return VIEW_COUNT;
}

static enum view_action show_next(struct view *view, int step)
{
    int count = view->wall ? VIEWS : VIEW_WAITING;
    return show_view(view, (enum view_by)(((int)view->by + step + count) % count));
}

static enum view_action change_seconds(struct view *view, int step)
{
    size_t i = 0;
    while (view_seconds[i + 1] && view_seconds[i] < view->seconds)
        i++;
    if (view_seconds[i] != view->seconds && step > 0)
        step = 0;
    if ((step < 0 && !i) || (step > 0 && !view_seconds[i + 1]))
        return VIEW_NOTHING;
    view->seconds = view_seconds[i + (size_t)step];
    return VIEW_LOOK;
}

static enum view_action zoom_in(struct view *view, const struct view_rows *rows)
{
    const struct view_zoom *last = view->zoom_count ? &view->zooms[view->zoom_count - 1] : NULL;
    if (!rows->has_zoom || (last && last->by == rows->zoom.by && last->id == rows->zoom.id))
        return VIEW_NOTHING;
    if (view->zoom_count == VIEW_ZOOMS) {
        set_message(view, "no deeper level: Backspace goes back");
        return VIEW_DRAW;
    }
    view->zooms[view->zoom_count++] = rows->zoom;
    if (!view_is_of_functions(view))
        view->by = VIEW_FUNCTIONS;
    view->filter[0] = 0;
    go_to_top(view);
    return VIEW_COUNT;
}

/* Returns to the view before the last zoom. Without a zoom, clears the filter. */
static enum view_action go_back(struct view *view)
{
    if (view->zoom_count) {
        enum view_by from = view->zooms[--view->zoom_count].by;
        if (!is_of_functions(from))
            view->by = from;
    } else if (view->filter[0]) {
        view->filter[0] = 0;
    } else {
        return VIEW_NOTHING;
    }
    go_to_top(view);
    return VIEW_COUNT;
}

static enum view_action move_cursor(struct view *view, const struct view_rows *rows, long by)
{
    size_t last = rows->count ? rows->count - 1 : 0;
    if (by < 0)
        view->selected = view->selected < (size_t)-by ? 0 : view->selected - (size_t)-by;
    else
        view->selected = last - view->selected < (size_t)by ? last : view->selected + (size_t)by;
    view_fit(view, rows);
    return VIEW_DRAW;
}

void view_fit(struct view *view, const struct view_rows *rows)
{
    size_t fit = rows->fit ? rows->fit : 1;
    if (view->selected >= rows->count)
        view->selected = rows->count ? rows->count - 1 : 0;
    if (view->top > view->selected)
        view->top = view->selected;
    if (view->selected >= view->top + fit)
        view->top = view->selected - fit + 1;
    if (view->top + fit > rows->count)
        view->top = rows->count > fit ? rows->count - fit : 0;
}

static enum view_action begin_prompt(struct view *view, enum view_prompt prompt)
{
    view->prompt = prompt;
    memcpy(view->input, prompt == VIEW_FILTER ? view->filter : view->file, sizeof view->input);
    return VIEW_DRAW;
}

static void erase_last(char *text)
{
    size_t length = strlen(text);
    while (length && (text[--length] & 0xc0) == 0x80)
        continue;
    text[length] = 0;
}

/* Appends the UTF-8 form of CHARACTER if it fits. */
static void append_character(char *text, uint32_t character)
{
    size_t length = strlen(text), size = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    static const unsigned char heads[] = {0, 0, 0xc0, 0xe0, 0xf0};
    if (character < ' ' || character == 0x7f || length + size >= VIEW_TEXT)
        return;
    for (size_t i = size; i-- > 1; character >>= 6)
        text[length + i] = (char)(0x80 | (character & 0x3f));
    text[length] = (char)(heads[size] | character);
    text[length + size] = 0;
}

static enum view_action end_prompt(struct view *view)
{
    enum view_prompt prompt = view->prompt;
    view->prompt = VIEW_NO_PROMPT;
    if (prompt == VIEW_FILTER) {
        memcpy(view->filter, view->input, sizeof view->filter);
        go_to_top(view);
        return VIEW_COUNT;
    }
    if (!view->input[0])
        return VIEW_DRAW;
    memcpy(view->file, view->input, sizeof view->file);
    return VIEW_SAVE;
}

static enum view_action key_of_prompt(struct view *view, uint32_t key)
{
    if (key == VIEW_KEY_ENTER)
        return end_prompt(view);
    if (key == VIEW_KEY_ESCAPE)
        view->prompt = VIEW_NO_PROMPT;
    else if (key == VIEW_KEY_BACK)
        erase_last(view->input);
    else if (key == VIEW_KEY_ERASE_LINE)
        view->input[0] = 0;
    else if (key < VIEW_KEY_UP)
        append_character(view->input, key);
    return VIEW_DRAW;
}

/* Returns true, with *ACTION set, if KEY moves the cursor. */
static bool key_moves(struct view *view, uint32_t key, const struct view_rows *rows, enum view_action *action)
{
    long page = rows->fit > 1 ? (long)rows->fit - 1 : 1, all = (long)rows->count;
    const struct {
        uint32_t key;
        long by;
    } moves[] = {{VIEW_KEY_UP, -1},         {'k', -1},
                 {VIEW_KEY_DOWN, 1},        {'j', 1},
                 {VIEW_KEY_PAGE_UP, -page}, {VIEW_KEY_PAGE_DOWN, page},
                 {VIEW_KEY_HOME, -all},     {'g', -all},
                 {VIEW_KEY_END, all},       {'G', all}};
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++)
        if (moves[i].key == key) {
            *action = move_cursor(view, rows, moves[i].by);
            return true;
        }
    return false;
}

static enum view_action toggle_flag(bool *what, enum view_action action)
{
    *what = !*what;
    return action;
}

/* Returns true if KEY concerns only a running recording, or only a stored profile, and VIEW is of the other. */
static bool is_for_others(const struct view *view, uint32_t key)
{
    return key && key < 0x80 && strchr(view->stored ? "p aW+=-z" : "A", (int)key);
}

static enum view_action key_of_rows(struct view *view, uint32_t key, const struct view_rows *rows)
{
    enum view_action action = VIEW_NOTHING;
    if (key_moves(view, key, rows, &action))
        return action;
    if (is_for_others(view, key))
        return VIEW_NOTHING;
    switch (key) {
    case 'q':
        return VIEW_QUIT;
    case '?':
    case 'h':
        return toggle_flag(&view->help, VIEW_DRAW);
    case 'p':
    case ' ':
        return toggle_flag(&view->paused, VIEW_LOOK);
    case 's':
        return toggle_flag(&view->by_total, VIEW_COUNT);
    case 'a':
        return toggle_flag(&view->by_all, VIEW_COUNT);
    case 'w':
    case VIEW_KEY_TAB:
        return show_next(view, 1);
    case VIEW_KEY_BACK_TAB:
        return show_next(view, -1);
    case '1':
    case '2':
    case '3':
    case '4':
        return show_view(view, (enum view_by)(key - '1'));
    case '/':
        return begin_prompt(view, VIEW_FILTER);
    case 'W':
        return begin_prompt(view, VIEW_WRITE);
    case '+':
    case '=':
        return change_seconds(view, 1);
    case '-':
        return change_seconds(view, -1);
    case 'z':
        return VIEW_RESET;
    case 'A':
        return view_is_of_functions(view) && rows->has_zoom ? VIEW_ANNOTATE : VIEW_NOTHING;
    case VIEW_KEY_ENTER:
        return zoom_in(view, rows);
    case VIEW_KEY_BACK:
    case VIEW_KEY_ESCAPE:
        return go_back(view);
    default:
        return VIEW_NOTHING;
    }
}

enum view_action view_key(struct view *view, uint32_t key, const struct view_rows *rows)
{
    bool had_message = view->message[0] != 0;
    view->message[0] = 0;
    if (view->prompt)
        return key_of_prompt(view, key);
    if (view->help && key != 'q') {
        view->help = false;
        return VIEW_DRAW;
    }
    enum view_action action = key_of_rows(view, key, rows);
    return action == VIEW_NOTHING && had_message ? VIEW_DRAW : action;
}
