/* SPDX-License-Identifier: MIT
 *
 * Rows: times and samples added up under two texts. */
#ifndef REPORT_ROWS_H
#define REPORT_ROWS_H

#include "base/hash.h"
#include "profile/noise.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct row {
    char *name, *detail; /* owned by the rows; the two together are the key; never NULL there */
    uint64_t samples;
    uint64_t user_ns, system_ns;     /* CPU time that samples stand for */
    uint64_t unsampled_ns;           /* CPU time that none stands for */
    uint64_t estimated_ns;           /* of all its own time what was estimated to be its */
    uint64_t waiting_ns;             /* time without a CPU */
    uint64_t below_ns;               /* of samples that have it as a caller, and not as their leaf */
    uint64_t below_samples;          /* how many these are */
    uint64_t touched;                /* the last of these samples, so that recursion counts once */
    uint64_t base_ns, base_total_ns; /* time of the same row of what this is compared with */
    uint64_t base_samples, base_total_samples;
    bool by_chance, total_by_chance; /* the change is no larger than chance makes it, see rows_judge */
    bool left_out;                   /* of the table, by rows_cut */
};

/* Only needs to be zeroed at first. */
struct rows {
    struct row *items;
    size_t count, room;
    struct hash index;
};

void rows_fini(struct rows *rows);

/* Returns the row with NAME and DETAIL, which are copied; a new one is empty. It is valid until the next call. NULL
 * if memory runs out, and after rows_sort. */
struct row *rows_get(struct rows *rows, const char *name, const char *detail);

/* The time of ROW, running and waiting: its own, and that with what it called. */
uint64_t row_ns(const struct row *row);
uint64_t row_total_ns(const struct row *row);

/* How much more ROW's own time is than in what it is compared with, and its total; negative: less. */
int64_t row_change_ns(const struct row *row);
int64_t row_total_change_ns(const struct row *row);

/* Adds the numbers of MORE to SUM. */
void row_add(struct row *sum, const struct row *more);

/* Sorts by falling time, then by falling total, then by name and detail: one profile always gives the same table. */
void rows_sort(struct rows *rows);

/* The same by falling total, then by falling time. */
void rows_sort_by_total(struct rows *rows);

/* Sorts by falling amount of the change, more or less, of a row's own time, then of its total, then by name
 * and detail. */
void rows_sort_by_change(struct rows *rows);

/* Sets of ROWS which changes chance explains. */
void rows_judge(struct rows *rows, const struct noise *noise);

/* Sorts by name and detail. */
void rows_sort_by_name(struct rows *rows);

/* Which rows of a table are shown. */
struct rows_limits {
    size_t most;        /* so many at the most; 0: any number */
    double min_percent; /* of whole_ns: the least total; where rows are changes, the least change */
    uint64_t whole_ns;
    bool changes; /* rows are changes: one that chance explains is not shown, unless min_percent is 0 */
    bool own;     /* only rows with time of their own */
};

/* Marks which of the sorted ROWS are left out by LIMITS. Puts their sum into REST (whose texts are NULL), and returns
 * how many they are. A single one with time of its own is shown: its place is taken anyway. */
size_t rows_cut(struct rows *rows, const struct rows_limits *limits, struct row *rest);

#endif
