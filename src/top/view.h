/* SPDX-License-Identifier: MIT
 *
 * What the live view shows, as its keys have it, and what a key does. Pure. */
#ifndef TOP_VIEW_H
#define TOP_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum view_by { VIEW_FUNCTIONS, VIEW_THREADS, VIEW_PROCESSES, VIEW_WAITING, VIEWS };

enum { VIEW_ZOOMS = 32, VIEW_TEXT = 256 };

/* Keys that are no characters. */
enum view_key {
    VIEW_KEY_UP = 0x110000,
    VIEW_KEY_DOWN,
    VIEW_KEY_PAGE_UP,
    VIEW_KEY_PAGE_DOWN,
    VIEW_KEY_HOME,
    VIEW_KEY_END,
    VIEW_KEY_ENTER,
    VIEW_KEY_BACK, /* Backspace */
    VIEW_KEY_ESCAPE,
    VIEW_KEY_TAB,
    VIEW_KEY_BACK_TAB,
    VIEW_KEY_ERASE_LINE, /* Ctrl-U */
    VIEW_KEY_OTHER
};

enum view_prompt { VIEW_NO_PROMPT, VIEW_FILTER, VIEW_WRITE };

/* What the caller must do next. */
enum view_action {
    VIEW_NOTHING,
    VIEW_DRAW,  /* draw the same rows again */
    VIEW_COUNT, /* compute the rows again */
    VIEW_LOOK,  /* make the picture and the rows again: other seconds, or the pause is over */
    VIEW_RESET, /* all begins now */
    VIEW_SAVE,  /* write to the file that view->input names */
    VIEW_QUIT
};

/* The object of the row at the cursor. */
struct view_zoom {
    enum view_by by; /* VIEW_FUNCTIONS and VIEW_WAITING: a function; else a thread or a process */
    uint32_t id;
};

struct view {
    enum view_by by;
    bool wall;             /* waiting is sampled, too */
    bool by_total, by_all; /* how rows are sorted */
    bool paused, help;
    unsigned seconds;                   /* length of the recent time */
    size_t selected, top;               /* rows: the one at the cursor, and the first that is shown */
    struct view_zoom zooms[VIEW_ZOOMS]; /* the last is the current one */
    size_t zoom_count;
    enum view_prompt prompt;
    char input[VIEW_TEXT], filter[VIEW_TEXT], file[VIEW_TEXT]; /* being typed; in force; last written to */
    char message[VIEW_TEXT * 2];                               /* until the next key */
};

/* What the meaning of a key depends on: how many rows exist, how many fit the screen, and what the row at the cursor
 * leads to, if anything. */
struct view_rows {
    size_t count, fit;
    bool has_zoom;
    struct view_zoom zoom;
};

/* The values of seconds, from the least to the most; ended by 0. */
extern const unsigned view_seconds[];

/* Sets everything to its initial state. */
void view_begin(struct view *view, bool wall, unsigned seconds);

/* Takes KEY, a character or one of enum view_key. */
enum view_action view_key(struct view *view, uint32_t key, const struct view_rows *rows);

/* Keeps the cursor within ROWS, and what is shown around it. */
void view_fit(struct view *view, const struct view_rows *rows);

/* The function that is looked into, or UINT32_MAX. */
uint32_t view_centre(const struct view *view);

/* The thread or the process that everything is of, or UINT32_MAX. BY says which. */
uint32_t view_scope(const struct view *view, enum view_by by);

/* True if rows of the view are functions. */
bool view_is_of_functions(const struct view *view);

/* What a view is called. */
const char *view_name(enum view_by by);

#endif
