/* SPDX-License-Identifier: MIT
 *
 * The columns of the live view's rows: as many as the width holds, the most needed first, and beside them the names.
 * Pure. */
#ifndef TOP_COLUMNS_H
#define TOP_COLUMNS_H

#include "top/layout.h"

enum { COLUMNS_MOST = 5 };

struct columns {
    const struct columns_kind *kinds; /* in display order */
    size_t kind_count;
    bool shown[COLUMNS_MOST];
    unsigned name, detail; /* columns of the screen; detail 0: it is left out */
};

/* Chooses the columns for the COUNT rows of SOURCE from FIRST on. */
void columns_fit(struct columns *columns, const struct layout_source *source, size_t first, size_t count);

/* Append a line: what times the columns are of, their titles, a row. */
void columns_groups(const struct columns *columns, const struct layout_source *source, struct buffer *line);
void columns_titles(const struct columns *columns, const struct layout_source *source, struct buffer *line);
void columns_row(const struct columns *columns, const struct layout_source *source, const struct board_row *row,
                 struct buffer *line);

#endif
