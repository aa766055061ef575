/* SPDX-License-Identifier: MIT */
#include "front/top/loaded.h"

#include "front/top/board.h"
#include "front/top/view.h"
#include "test_profile.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

/* app: main calls parse, with an inlined call of skip, and reads. Half a second passed without samples. */
static struct profile *make_app(void)
{
    struct profile *profile = make_profile("app");
    uint32_t process = make_process(profile, 7, 0, "app"), thread = make_thread(profile, process, 9, "worker");
    uint32_t app = make_module(profile, "/bin/app", 1, 2);
    profile->modules[app].executable = true;
    uint32_t main = make_frame(profile, app, "main", 1), parse = make_frame(profile, app, "parse", 2);
    uint32_t skip = make_frame(profile, app, "skip", 2);
    add_line(profile, parse, skip, "a.c", 4);
    add_line(profile, parse, parse, "a.c", 9);
    ADD_STACK(profile, thread, -1, 3, 300000000, parse, main);
    ADD_STACK(profile, thread, -1, 1, 100000000, main);
    ADD_STACK(profile, thread, 0, 1, 100000000, main);
    profile->processes[process].unsampled_ns = 500000000;
    profile->processes[process].cpu_ns += 500000000;
    return profile;
}

static const struct {
    enum view_by by;
    const char *rows;
} views[] = {
    {VIEW_FUNCTIONS, "[unsampled] 500/500\nskip 300/300\nmain 100/500\n[read] 100/100\nparse 0/300\n"},
    {VIEW_THREADS, "worker 500/500\n[unsampled] 500/500\n"},
    {VIEW_PROCESSES, "app 1000/1000\n"},
};

START_TEST(a_stored_profile_has_the_rows_of_a_live_one)
{
    struct profile *profile = make_app();
    struct loaded loaded;
    struct board board = {0};
    struct view view;
    char text[400] = "";
    ck_assert(loaded_make(&loaded, profile, false));
    view_begin(&view, false, 1);
    view.stored = view.by_all = true;
    view.by = views[_i].by;
    struct board_source from = {&loaded.record, &loaded.picture, &loaded.places};
    ck_assert(board_make(&board, &from, &view));
    for (size_t i = 0; i < board.count; i++) {
        struct board_texts texts;
        board_texts(&from, &view, &board.items[i], &texts);
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "%s %d/%d\n", texts.name,
                 (int)(board.items[i].all.self_ns / 1000000), (int)(board.items[i].all.total_ns / 1000000));
    }
    ck_assert_str_eq(text, views[_i].rows);
    ck_assert_uint_eq(board.all_ns, 1000000000);
    board_free(&board);
    loaded_free(&loaded);
    profile_free(profile);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("top/loaded");
    UNIT_ADD_TABLE(tests, a_stored_profile_has_the_rows_of_a_live_one, views);
    return unit_end();
}
