/* SPDX-License-Identifier: MIT
 *
 * State of the live view, as its keys have set it, and the effect of a key. Pure. */
#ifndef TOP_VIEW_H
#define TOP_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum view_by { VIEW_FUNCTIONS, VIEW_THREADS, VIEW_PROCESSES, VIEW_WAITING, VIEWS };

enum { VIEW_ZOOMS = 32, VIEW_TEXT = 256 };

/* Keys that are not characters. */
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
    VIEW_DRAW,     /* draw the same rows again */
    VIEW_COUNT,    /* compute the rows again */
    VIEW_LOOK,     /* make the picture and the rows again, because the recent time has changed or a pause has ended */
    VIEW_RESET,    /* restart the totals now */
    VIEW_SAVE,     /* write to the file named by view->input */
    VIEW_ANNOTATE, /* show the source of the function at the cursor */
    VIEW_QUIT
};

/* The object of the row at the cursor. */
struct view_zoom {
    enum view_by by; /* VIEW_FUNCTIONS and VIEW_WAITING: a function; otherwise a thread or a process */
    uint32_t id;
};

struct view {
    enum view_by by;
    bool wall;             /* waiting threads are sampled, too */
    bool stored;           /* of a stored profile: there is no recent time */
    bool by_total, by_all; /* how rows are sorted */
    bool paused, help;
    unsigned seconds;                   /* length of the recent time */
    size_t selected, top;               /* rows: the one at the cursor, and the first that is shown */
    struct view_zoom zooms[VIEW_ZOOMS]; /* the last is the current one */
    size_t zoom_count;
    enum view_prompt prompt;
    char input[VIEW_TEXT], filter[VIEW_TEXT], file[VIEW_TEXT]; /* being typed; in use; last written file */
    char message[VIEW_TEXT * 2];                               /* shown until the next key */
};

/* Facts on which the effect of a key depends: the number of rows, how many fit, and the object of the row at the
 * cursor, if any. */
struct view_rows {
    size_t count, fit;
    bool has_zoom;
    struct view_zoom zoom;
};

/* The values of seconds, ascending; ends with 0. */
extern const unsigned view_seconds[];

/* Sets everything to its initial state. */
void view_begin(struct view *view, bool wall, unsigned seconds);

/* Takes KEY, a character or one of enum view_key. */
enum view_action view_key(struct view *view, uint32_t key, const struct view_rows *rows);

/* Moves the cursor to a row of ROWS, and makes it visible. */
void view_fit(struct view *view, const struct view_rows *rows);

/* Returns the selected function, or UINT32_MAX. */
uint32_t view_centre(const struct view *view);

/* Returns the selected thread or process (BY) to which everything belongs, or UINT32_MAX. */
uint32_t view_scope(const struct view *view, enum view_by by);

/* True if rows of the view are functions. */
bool view_is_of_functions(const struct view *view);

/* Returns the name of a view. */
const char *view_name(enum view_by by);

#endif
