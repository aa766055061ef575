/* SPDX-License-Identifier: MIT
 *
 * Rows as a table for people: numbers to the left, then the two texts and a bar as far as the width allows. */
#ifndef REPORT_GRID_H
#define REPORT_GRID_H

#include "base/buffer.h"
#include "report/report.h"
#include "report/rows.h"
#include "text/text.h"

struct grid {
    struct rows *rows;                     /* sorted; marked by rows_cut here */
    const char *name_title, *detail_title; /* detail_title NULL: no such column */
    bool total;                            /* a column for a row's time with what it called */
    bool unsampled;                        /* a column for the CPU time of a row that no sample stands for */
    bool waiting;                          /* a column for time without a CPU, which is part of a row's time */
    text_cutter *cut, *cut_detail;         /* how a name, or a detail, that is too long is cut */
    bool brief;                            /* without the split in user and system time */
    bool compare;                          /* instead: the base's time, the time, and the changes */
    bool by_total;                         /* the rows are sorted by their totals */
    size_t max_rows;                       /* 0: all */
    unsigned most_name;                    /* columns of a name where the options have no width; 0: any number */
    const char *rest_hint;                 /* a few words on how the rows that are left out are to be seen, */
    const char *short_hint;                /* and fewer, where these have no room; or NULL */
    uint64_t whole_ns;                     /* 100 % */
};

/* Appends the table to OUT: a title, the rows, if some were left out a row of their sum, and the total. */
void grid_put(struct buffer *out, const struct grid *grid, const struct report_options *options);

#endif
