/* SPDX-License-Identifier: MIT
 *
 * The rows of a view: times of the picture added up by function, thread or process. */
#ifndef TOP_BOARD_H
#define TOP_BOARD_H

#include "record/record.h"
#include "top/live.h"
#include "top/places.h"
#include "top/view.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Groups of rows when one function is selected: its callers, itself, its callees. */
enum board_part { BOARD_CALLER, BOARD_CENTRE, BOARD_CALLEE, BOARD_PLAIN, BOARD_PARTS };

struct board_time {
    uint64_t self_ns, total_ns; /* total: with what it called */
};

struct board_row {
    uint32_t id; /* function, thread or image */
    enum board_part part;
    struct board_time recent, all;
    uint64_t touched; /* the last sample that was added, so that recursion counts once */
};

/* Zero it before the first use. */
struct board {
    struct board_row *items;
    size_t count, room;
    uint64_t recent_ns, all_ns; /* of all that is looked at: what a hundred percent are */
    size_t hidden;              /* rows that the filter leaves out */
    struct {
        uint32_t *items;
        size_t count, room;
    } stack;                        /* of the sample in hand: functions, leaf first */
    uint32_t *rows_of[BOARD_PARTS]; /* by id */
    size_t ids;
    struct {
        struct board_thread {
            uint64_t cpu_ns, period_ns; /* of its samples */
        } * items;
        size_t count, room;
    } threads; /* of the record */
};

/* What a table is made of. */
struct board_source {
    const struct record *record;
    const struct live_picture *picture;
    struct places *places; /* functions of the kernel are added to it */
};

void board_free(struct board *board);

/* Makes the rows of VIEW, sorted. Functions have the time that their samples represent: a period each, as in a build
 * most processes end long before they have run for one, but not less than what their thread ran, if samples were
 * missed. Threads and processes have what they ran until their last samples. False if memory runs out: there are no
 * rows then. */
bool board_make(struct board *board, const struct board_source *source, const struct view *view);

/* The texts of ROW. Not escaped; valid until the next call. */
struct board_texts {
    const char *name, *detail;
    char number[80];
};
void board_texts(const struct board_source *source, const struct view *view, const struct board_row *row,
                 struct board_texts *texts);

#endif
