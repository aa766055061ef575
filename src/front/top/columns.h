/* SPDX-License-Identifier: MIT
 *
 * Chooses the columns of the live view: as many as fit, the most important first, and names next to them. Pure. */
#ifndef TOP_COLUMNS_H
#define TOP_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

struct buffer;
struct layout_source;

struct board_row;

enum { COLUMNS_MOST = 5 };

struct columns {
    const struct columns_kind *kinds; /* in display order */
    size_t kind_count;
    bool shown[COLUMNS_MOST];
    unsigned name, detail; /* columns of the screen; detail 0: omitted */
};

/* Chooses the columns for the COUNT rows of SOURCE from FIRST on. */
void columns_fit(struct columns *columns, const struct layout_source *source, size_t first, size_t count);

/* Append a line: the groups of times, the titles, or a row. */
void columns_groups(const struct columns *columns, const struct layout_source *source, struct buffer *line);
void columns_titles(const struct columns *columns, const struct layout_source *source, struct buffer *line);
void columns_row(const struct columns *columns, const struct layout_source *source, const struct board_row *row,
                 struct buffer *line);

#endif
