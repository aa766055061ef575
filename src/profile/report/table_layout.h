/* SPDX-License-Identifier: MIT
 *
 * Rows as a table for people: numbers to the left, then the two texts, and a bar if the width allows it. */
#ifndef REPORT_GRID_H
#define REPORT_GRID_H

#include "common/text/text.h"

struct buffer;
struct report_options;
struct table_rows;

struct table_form {
    struct table_rows *rows;               /* sorted; table_layout_put marks them with table_rows_cut */
    const char *name_title, *detail_title; /* NULL: no such column */
    bool total;                            /* has a column for total time */
    bool unsampled;                        /* has a column for unsampled CPU time */
    bool waiting;                          /* has a column for time without a CPU, which is part of a row's time */
    text_cutter *cut, *cut_detail;         /* functions that cut a long name or detail */
    bool brief;                            /* does not split user and system time */
    bool compare;                          /* shows the base's time, the time, and the changes instead */
    bool by_total;                         /* the rows are sorted by total time */
    size_t max_rows;                       /* 0: all */
    unsigned most_name;                    /* width of a name if the options have no width; 0: any */
    const char *rest_hint;                 /* short text on how to see the omitted rows */
    uint64_t whole_ns;                     /* 100 % */
};

/* Appends the table to OUT: a title, the rows, a row with the sum of omitted rows if any, and the total. */
void table_layout_put(struct buffer *out, const struct table_form *form, const struct report_options *options);

#endif
