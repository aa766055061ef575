/* SPDX-License-Identifier: MIT */
#include "front/top/board.h"

#include "test_top.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

/* The rows as text: "NAME RECENT_SELF/RECENT_TOTAL ALL_SELF/ALL_TOTAL" in ms, with < before callers and > before
 * callees. */
static const char *rows_of(struct top_made *made)
{
    static char text[1024];
    static const char marks[] = {'<', '=', '>', ' '};
    struct board_source from = {&made->record, &made->picture, &made->places};
    ck_assert(board_make(&made->board, &from, &made->view));
    text[0] = 0;
    for (size_t i = 0; i < made->board.count; i++) {
        const struct board_row *row = &made->board.items[i];
        struct board_texts texts;
        board_texts(&from, &made->view, row, &texts);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%c%s %d/%d %d/%d\n", marks[row->part],
                 view_is_of_functions(&made->view) ? texts.name : texts.detail, (int)(row->recent.self_ns / TOP_MS),
                 (int)(row->recent.total_ns / TOP_MS), (int)(row->all.self_ns / TOP_MS),
                 (int)(row->all.total_ns / TOP_MS));
    }
    return text;
}

static uint32_t function(struct top_made *made, const char *name, const char *module)
{
    return places_function(&made->places, name, module, *name == '[');
}

static const struct {
    enum view_by by;
    bool by_total, by_all;
    const char *filter, *rows;
} plain[] = {
    {VIEW_FUNCTIONS, false, false, "",
     " std::map<...>::find 30/30 30/30\n main 0/30 0/100\n deep 0/0 40/40\n work 0/0 20/70\n [read] 0/0 10/10\n"},
    {VIEW_FUNCTIONS, true, true, "",
     " main 0/30 0/100\n work 0/0 20/70\n deep 0/0 40/40\n std::map<...>::find 30/30 30/30\n [read] 0/0 10/10\n"},
    {VIEW_FUNCTIONS, false, true, "^D", " deep 0/0 40/40\n"},
    {VIEW_FUNCTIONS, false, true, "kernel", " [read] 0/0 10/10\n"},
    {VIEW_FUNCTIONS, false, true, "work|deep", " deep 0/0 40/40\n work 0/0 20/70\n"},
    {VIEW_FUNCTIONS, false, true, "[read", " [read] 0/0 10/10\n"}, /* an invalid regular expression */
    {VIEW_FUNCTIONS, false, true, "nothing", ""},
    {VIEW_THREADS, false, false, "", " 100/101 30/30 40/40\n 100/100 0/0 60/60\n"},
    {VIEW_THREADS, false, true, "", " 100/100 0/0 60/60\n 100/101 30/30 40/40\n"},
    {VIEW_THREADS, false, true, "/101", " 100/101 30/30 40/40\n"},
    {VIEW_PROCESSES, false, false, "", " 100 30/30 100/100\n"},
    {VIEW_WAITING, false, true, "", " [read] 0/0 50/50\n main 0/0 0/50\n work 0/0 0/50\n"},
};

START_TEST(rows_follow_the_table)
{
    struct top_made made;
    top_make(&made);
    made.view.by = plain[_i].by;
    made.view.by_total = plain[_i].by_total;
    made.view.by_all = plain[_i].by_all;
    strcpy(made.view.filter, plain[_i].filter);
    ck_assert_str_eq(rows_of(&made), plain[_i].rows);
    top_destroy(&made);
}
END_TEST

/* Thread 101 is sampled at its beginning, and 10 and 30 ms are billed for periods of 30. Thread 100 has half of its
 * due samples, so they stand for 60 ms in all, with periods of 30. */
START_TEST(functions_have_what_samples_stand_for)
{
    struct top_made made;
    top_make(&made);
    for (size_t i = 0; i < made.record.samples.count; i++) {
        struct record_sample *sample = &made.record.samples.items[i];
        sample->period_ns = (made.record.threads.items[sample->thread].tid == 100 ? 15 : 30) * TOP_MS;
        sample->count++;
    }
    live_take(&made.live, &made.record, 3000000001);
    ck_assert(live_look(&made.live, 1000000000, &made.picture));
    made.view.by = VIEW_FUNCTIONS;
    made.view.by_total = made.view.by_all = true;
    ck_assert_str_eq(rows_of(&made), " main 0/120 0/120\n work 30/90 30/90\n deep 30/30 30/30\n"
                                     " std::map<...>::find 30/30 30/30\n [read] 30/30 30/30\n");
    made.view.by = VIEW_THREADS;
    ck_assert_str_eq(rows_of(&made), " 100/100 0/0 60/60\n 100/101 0/0 40/40\n");
    top_destroy(&made);
}
END_TEST

static const struct {
    const char *centre, *rows;
} around[] = {
    {"work", "<main 0/0 0/70\n=work 0/0 20/70\n>deep 0/0 40/40\n>[read] 0/0 10/10\n"},
    {"main", "=main 0/30 0/100\n>work 0/0 20/70\n>std::map<...>::find 30/30 30/30\n"},
    {"deep", "<work 0/0 0/40\n=deep 0/0 40/40\n"},
};

START_TEST(callers_and_callees_follow_the_table)
{
    struct top_made made;
    top_make(&made);
    made.view.by_all = true;
    made.view.zooms[made.view.zoom_count++] =
        (struct view_zoom){VIEW_FUNCTIONS, function(&made, around[_i].centre, "prog")};
    ck_assert_str_eq(rows_of(&made), around[_i].rows);
    top_destroy(&made);
}
END_TEST

/* A wait has the name of its caller, and Enter shows the whole chain of callers, the outermost first. */
START_TEST(waits_show_all_callers)
{
    struct top_made made;
    top_make(&made);
    for (size_t i = 0; i < made.record.images.count; i++)
        made.record.images.items[i].program = made.record.nodes.items[0].object;
    made.view.by = VIEW_WAITING;
    made.view.by_all = true;
    ck_assert_str_eq(rows_of(&made), " [read] work 0/0 50/50\n main 0/0 0/50\n work 0/0 0/50\n");
    made.view.zooms[made.view.zoom_count++] =
        (struct view_zoom){VIEW_WAITING, function(&made, "[read] work", "[kernel]")};
    ck_assert_str_eq(rows_of(&made), "<main 0/0 0/50\n<work 0/0 0/50\n=[read] work 0/0 50/50\n");
    top_destroy(&made);
}
END_TEST

START_TEST(all_is_of_what_is_looked_into)
{
    struct top_made made;
    top_make(&made);
    made.view.zooms[made.view.zoom_count++] = (struct view_zoom){VIEW_THREADS, made.record.samples.items[0].thread};
    ck_assert_str_eq(rows_of(&made), " deep 0/0 40/40\n work 0/0 20/60\n main 0/0 0/60\n");
    ck_assert_uint_eq(made.board.all_ns, 60 * TOP_MS);
    /* the part of the threads below a function */
    made.view.zooms[0] = (struct view_zoom){VIEW_FUNCTIONS, function(&made, "work", "prog")};
    made.view.by = VIEW_THREADS;
    made.view.by_all = true;
    ck_assert_str_eq(rows_of(&made), " 100/100 0/0 60/60\n 100/101 0/0 10/10\n");
    top_destroy(&made);
}
END_TEST

START_TEST(functions_without_names_are_one_row)
{
    struct top_made made;
    top_make(&made);
    places_free(&made.places);
    ck_assert(places_follow(&made.places, &made.record));
    made.view.by_all = true;
    ck_assert_str_eq(rows_of(&made), " [names are being read] 30/30 90/100\n [read] 0/0 10/10\n");
    top_destroy(&made);
}
END_TEST

/* Names the function at the address of place NUMBER, as if it had been read. */
static void read_place(struct top_made *made, uint32_t number, const char *name)
{
    struct builder *known = &made->places.known;
    uint64_t address = made->places.places.items[number].address;
    uint32_t module = builder_module(
        known, &(struct profile_module){.path = (char[]){"/bin/prog"}, .text_start = 1, .text_end = 1000});
    struct profile_function function = {.module = module, .linkage_name = strdup(name), .start = address};
    struct profile_location location = {.module = module, .address = address};
    location.function = builder_function(known, &function);
    free(function.linkage_name);
    ck_assert(places_set_location(&made->places, number, builder_location(known, &location, NULL)));
}

/* A second function of one name can come later. */
START_TEST(functions_of_one_name_are_told_apart)
{
    static const char *const parts[] = {"help", "help.cold", "other"};
    struct top_made made = {0};
    view_begin(&made.view, true, 1);
    made.view.by_all = true;
    top_begin(&made.record);
    live_begin(&made.live, 1);
    top_sample(&made.record, 100, "0", -1, 40, 0);
    top_sample(&made.record, 100, "1", -1, 30, 0);
    top_sample(&made.record, 100, "2", -1, 20, 0);
    live_take(&made.live, &made.record, 1000000001);
    live_look(&made.live, 1000000000, &made.picture);
    builder_init(&made.places.known);
    ck_assert(places_follow(&made.places, &made.record));
    for (uint32_t i = 0; i < 3; i++)
        read_place(&made, i, parts[i]);
    const char *rows = rows_of(&made);
    ck_assert_msg(strstr(rows, " help ") && !strstr(rows, "help ("), "%s", rows);
    ck_assert_uint_eq(made.board.count, 2);
    top_sample(&made.record, 100, "3", -1, 10, 0);
    live_take(&made.live, &made.record, 2000000001);
    live_picture_free(&made.picture);
    live_look(&made.live, 1000000000, &made.picture);
    ck_assert(places_follow(&made.places, &made.record));
    read_place(&made, 3, "help");
    rows = rows_of(&made);
    ck_assert_msg(strstr(rows, " help (0x10) ") && strstr(rows, " help (0x40) "), "%s", rows);
    top_destroy(&made);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("top/board");
    UNIT_ADD_TABLE(tests, rows_follow_the_table, plain);
    tcase_add_test(tests, functions_have_what_samples_stand_for);
    UNIT_ADD_TABLE(tests, callers_and_callees_follow_the_table, around);
    tcase_add_test(tests, waits_show_all_callers);
    tcase_add_test(tests, all_is_of_what_is_looked_into);
    tcase_add_test(tests, functions_without_names_are_one_row);
    tcase_add_test(tests, functions_of_one_name_are_told_apart);
    return unit_end();
}
