/* SPDX-License-Identifier: MIT
 *
 * The rows of a view: times in the picture, added up by function, thread or process. */
#ifndef TOP_BOARD_H
#define TOP_BOARD_H

#include "front/top/view.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct live_picture;
struct places;
struct record;

/* Groups of rows when one function is selected: its callers, itself, its callees. */
enum board_part { BOARD_CALLER, BOARD_CENTRE, BOARD_CALLEE, BOARD_PLAIN, BOARD_PARTS };

struct board_time {
    uint64_t self_ns, total_ns; /* total: with callees */
};

struct board_row {
    uint32_t id; /* function, thread or image */
    enum board_part part;
    struct board_time recent, all;
    uint64_t touched; /* last sample added, so that a recursive call counts once */
    size_t distance;  /* from what is waited for to this caller, in calls */
};

/* Zero it before the first use. */
struct board {
    struct board_row *items;
    size_t count, room;
    uint64_t recent_ns, all_ns; /* of everything shown: 100 % */
    size_t hidden;              /* number of rows that the filter omits */
    struct {
        uint32_t *items;
        size_t count, room;
    } stack; /* functions of the present sample, leaf first */
    struct {
        uint32_t *items;
        size_t count, room;
    } nodes;                        /* of the present sample if it waits, leaf first */
    uint32_t program;               /* and the object of its program */
    uint32_t *rows_of[BOARD_PARTS]; /* by id */
    size_t ids;
    struct {
        struct board_thread {
            uint64_t cpu_ns, period_ns; /* of its samples */
        } * items;
        size_t count, room;
    } threads; /* of the record */
};

/* Data for a table. */
struct board_source {
    const struct record *record;
    const struct live_picture *picture;
    struct places *places; /* kernel functions are added to it */
};

void board_free(struct board *board);

/* Makes the rows of VIEW, sorted. Functions get the time that their samples represent: one period each, because in a
 * build most processes end long before they have run for one. If samples were missed, they get at least the time that
 * their thread ran. Threads and processes get their time until their last samples. Returns false, with no rows, if
 * memory runs out. */
bool board_make(struct board *board, const struct board_source *source, const struct view *view);

/* Returns what a key of VIEW depends on, with FIT rows on the screen. */
struct view_rows board_view_rows(const struct board *board, const struct view *view, size_t fit);

/* The texts of ROW, unescaped. Valid until the next call. */
struct board_texts {
    const char *name, *detail;
    char number[80];
};
void board_texts(const struct board_source *source, const struct view *view, const struct board_row *row,
                 struct board_texts *texts);

#endif
