/* SPDX-License-Identifier: MIT
 *
 * A view as lines of text for a screen of any size. Texts of strangers are cleaned, see text/text.h. Pure. */
#ifndef TOP_LAYOUT_H
#define TOP_LAYOUT_H

#include "base/buffer.h"
#include "top/board.h"
#include "top/view.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Zero it before the first use; used again and again. */
struct layout {
    struct layout_line *items;
    size_t count, room; /* lines beyond count keep their memory */
    unsigned cursor;    /* the column of the cursor in the last line, if something is typed there */
    bool typing;
    bool failed; /* memory ran out; the layout is incomplete */
};

/* The lines above the rows. */
struct layout_head {
    const char *target; /* the profiled command or processes; not escaped */
    bool ended;         /* sampling has ended */
    const char *state;  /* why, as a sentence without its end; or NULL */
};

struct layout_source {
    const struct view *view;
    const struct board *board;
    const struct board_source *from;
    struct layout_head head;
    unsigned width, height; /* of the screen; width 0: lines of any length */
    bool utf8;
};

void layout_free(struct layout *layout);

/* How many rows a screen of that HEIGHT shows. */
size_t layout_rows_of(unsigned height);

/* Makes LAYOUT the screen: SOURCE->height lines at the most. */
void layout_screen(struct layout *layout, const struct layout_source *source);

/* Makes LAYOUT the view as text: the lines above the rows, and at most MOST rows (0: all). */
void layout_text(struct layout *layout, const struct layout_source *source, size_t most);

#endif
