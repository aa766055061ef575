/* SPDX-License-Identifier: MIT
 *
 * Renders a view as lines of text for a screen of any size. Texts of strangers are cleaned, see text/text.h. Pure. */
#ifndef TOP_LAYOUT_H
#define TOP_LAYOUT_H

#include "common/base/buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct board;
struct board_source;
struct view;

enum layout_style {
    LAYOUT_PLAIN,
    LAYOUT_TITLE,    /* the first line, and the line of keys */
    LAYOUT_HEAD,     /* titles of columns */
    LAYOUT_HOT,      /* a row with much of the time, or the current selection */
    LAYOUT_SELECTED, /* the row at the cursor */
    LAYOUT_FAINT
};

struct layout_line {
    struct buffer text;
    enum layout_style style;
};

/* Zero it before the first use. It can be reused. */
struct layout {
    struct layout_line *items;
    size_t count, room; /* lines beyond count keep their memory */
    unsigned cursor;    /* column of the cursor in the last line, while the user types there */
    bool typing;
    bool failed; /* memory ran out; the layout is incomplete */
};

/* The lines above the rows. */
struct layout_head {
    const char *target; /* profiled command or processes; unescaped */
    bool ended;         /* sampling has ended */
    const char *state;  /* the reason, as a sentence without its end; or NULL */
};

struct layout_source {
    const struct view *view;
    const struct board *board;
    const struct board_source *from;
    struct layout_head head;
    unsigned width, height; /* of the screen; width 0: unlimited */
    bool utf8;
};

void layout_free(struct layout *layout);

/* Returns how many rows a screen of HEIGHT shows. */
size_t layout_rows_of(unsigned height);

/* Renders the screen into LAYOUT: at most SOURCE->height lines. */
void layout_screen(struct layout *layout, const struct layout_source *source);

/* Renders the lines of TEXT, which is clean, from number FIRST on: at most SOURCE->height lines. */
void layout_lines(struct layout *layout, const struct layout_source *source, const char *text, size_t first);

/* Renders the view as text into LAYOUT: the lines above the rows, and at most MOST rows (0: all). */
void layout_text(struct layout *layout, const struct layout_source *source, size_t most);

#endif
