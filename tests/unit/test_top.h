/* SPDX-License-Identifier: MIT
 *
 * A record and its names: image 1 of process 100 with threads 100 and 101. main calls work, and work calls deep. */
#ifndef TEST_TOP_H
#define TEST_TOP_H

#include "front/top/board.h"
#include "front/top/live.h"
#include "front/top/places.h"
#include "front/top/view.h"
#include "test_record.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { TOP_MS = 1000000 };

static const char *const top_names[] = {"main", "work", "deep", "std::map<int, int>::find(int const&)"};

/* Function I is at PC (I + 1) * 16. */
static inline void top_sample(struct record *record, pid_t tid, const char *stack, int32_t syscall, uint64_t cpu_ms,
                              uint64_t wait_ms)
{
    struct unwind_frame frames[8] = {{0}};
    struct record_capture capture = {
        .image = 1,
        .tid = tid,
        .syscall = syscall,
        .weight_ns = cpu_ms * TOP_MS,
        .wait_ns = wait_ms * TOP_MS,
        .frames = frames,
    };
    for (; stack[capture.frame_count]; capture.frame_count++)
        frames[capture.frame_count].pc = (uint64_t)(stack[capture.frame_count] - '0' + 1) * 16;
    record_capture(record, &capture);
}

static inline void top_begin(struct record *record)
{
    *record = (struct record){0};
    record_image_begins(record, 1, 100, 0, "prog");
}

static inline void top_name(struct places *places, const struct record *record)
{
    ck_assert(places_follow(places, record));
    for (uint32_t i = 0; i < places->places.count; i++) {
        const struct places_item *item = &places->places.items[i];
        uint32_t function = places_function(places, top_names[item->address / 16 - 1], "prog", false);
        if (item->state == PLACES_NEW)
            ck_assert(places_set(places, i, &function, 1));
    }
}

/* Stacks are leaf first. The first three samples are older than a second. */
struct top_made {
    struct record record;
    struct live live;
    struct live_picture picture;
    struct places places;
    struct board board;
    struct view view;
};

static inline void top_make(struct top_made *made)
{
    memset(made, 0, sizeof *made);
    top_begin(&made->record);
    live_begin(&made->live, 1);
    top_sample(&made->record, 100, "210", -1, 40, 0); /* main > work > deep */
    top_sample(&made->record, 100, "10", -1, 20, 0);  /* main > work */
    top_sample(&made->record, 101, "110", 0, 10, 50); /* main > work > work > [read] */
    live_take(&made->live, &made->record, 1000000001);
    top_sample(&made->record, 101, "30", -1, 30, 0); /* main > find */
    live_take(&made->live, &made->record, 2000000001);
    live_look(&made->live, 1000000000, &made->picture);
    top_name(&made->places, &made->record);
    view_begin(&made->view, true, 1);
}

static inline void top_destroy(struct top_made *made)
{
    board_free(&made->board);
    places_free(&made->places);
    live_picture_free(&made->picture);
    live_free(&made->live);
    record_fini(&made->record);
}

#endif
