/* SPDX-License-Identifier: MIT */
#include "front/top/view.h"

#include "unit.h"

#include <string.h>

static const struct view_rows ten = {.count = 10, .fit = 4, .has_zoom = true, .zoom = {VIEW_FUNCTIONS, 7}};

static enum view_action press(struct view *view, const char *keys)
{
    enum view_action action = VIEW_NOTHING;
    for (; *keys; keys++)
        action = view_key(view, (unsigned char)*keys, &ten);
    return action;
}

static const struct {
    const char *keys;
    bool wall;
    enum view_action action; /* for the last key */
    enum view_by by;
    bool by_total, by_all, paused, help;
    unsigned seconds;
} rows[] = {
    {"q", false, VIEW_QUIT, VIEW_FUNCTIONS, false, false, false, false, 5},
    {"s", false, VIEW_COUNT, VIEW_FUNCTIONS, true, false, false, false, 5},
    {"ss", false, VIEW_COUNT, VIEW_FUNCTIONS, false, false, false, false, 5},
    {"a", false, VIEW_COUNT, VIEW_FUNCTIONS, false, true, false, false, 5},
    {"p", false, VIEW_LOOK, VIEW_FUNCTIONS, false, false, true, false, 5},
    {" p", false, VIEW_LOOK, VIEW_FUNCTIONS, false, false, false, false, 5},
    {"?", false, VIEW_DRAW, VIEW_FUNCTIONS, false, false, false, true, 5},
    {"hs", false, VIEW_DRAW, VIEW_FUNCTIONS, false, false, false, false, 5}, /* any key only leaves the help */
    {"hq", false, VIEW_QUIT, VIEW_FUNCTIONS, false, false, false, true, 5},
    {"w", false, VIEW_COUNT, VIEW_THREADS, false, false, false, false, 5},
    {"www", false, VIEW_COUNT, VIEW_FUNCTIONS, false, false, false, false, 5},
    {"www", true, VIEW_COUNT, VIEW_WAITING, false, false, false, false, 5},
    {"3", false, VIEW_COUNT, VIEW_PROCESSES, false, false, false, false, 5},
    {"4", false, VIEW_DRAW, VIEW_FUNCTIONS, false, false, false, false, 5},
    {"4", true, VIEW_COUNT, VIEW_WAITING, false, false, false, false, 5},
    {"+", false, VIEW_LOOK, VIEW_FUNCTIONS, false, false, false, false, 10},
    {"-", false, VIEW_LOOK, VIEW_FUNCTIONS, false, false, false, false, 2},
    {"----", false, VIEW_NOTHING, VIEW_FUNCTIONS, false, false, false, false, 1},
    {"+++++++", false, VIEW_NOTHING, VIEW_FUNCTIONS, false, false, false, false, 60},
    {"z", false, VIEW_RESET, VIEW_FUNCTIONS, false, false, false, false, 5},
    {"x", false, VIEW_NOTHING, VIEW_FUNCTIONS, false, false, false, false, 5},
    {"/q", false, VIEW_DRAW, VIEW_FUNCTIONS, false, false, false, false, 5}, /* a letter of the filter */
};

START_TEST(keys_follow_the_table)
{
    struct view view;
    view_begin(&view, rows[_i].wall, 5);
    ck_assert_int_eq(press(&view, rows[_i].keys), rows[_i].action);
    ck_assert_int_eq(view.by, rows[_i].by);
    ck_assert_int_eq(view.by_total, rows[_i].by_total);
    ck_assert_int_eq(view.by_all, rows[_i].by_all);
    ck_assert_int_eq(view.paused, rows[_i].paused);
    ck_assert_int_eq(view.help, rows[_i].help);
    ck_assert_uint_eq(view.seconds, rows[_i].seconds);
}
END_TEST

static const struct {
    uint32_t keys[6];
    size_t selected, top;
} moves[] = {
    {{VIEW_KEY_DOWN}, 1, 0},
    {{'j', 'j', 'j', 'j'}, 4, 1},
    {{VIEW_KEY_DOWN, VIEW_KEY_UP, 'k'}, 0, 0},
    {{VIEW_KEY_PAGE_DOWN}, 3, 0},
    {{VIEW_KEY_END}, 9, 6},
    {{'G', 'g'}, 0, 0},
    {{VIEW_KEY_END, VIEW_KEY_DOWN, VIEW_KEY_PAGE_UP}, 6, 6},
    {{VIEW_KEY_END, VIEW_KEY_HOME, VIEW_KEY_PAGE_DOWN, VIEW_KEY_PAGE_DOWN, VIEW_KEY_PAGE_DOWN, VIEW_KEY_PAGE_DOWN},
     9,
     6},
    {{'G', 's'}, 9, 6}, /* the cursor keeps its line on the screen */
    {{'G', 'w'}, 0, 0},
};

START_TEST(the_cursor_stays_on_the_screen)
{
    struct view view;
    view_begin(&view, false, 5);
    for (size_t i = 0; i < 6 && moves[_i].keys[i]; i++)
        view_key(&view, moves[_i].keys[i], &ten);
    ck_assert_uint_eq(view.selected, moves[_i].selected);
    ck_assert_uint_eq(view.top, moves[_i].top);
}
END_TEST

START_TEST(fewer_rows_take_the_cursor_along)
{
    struct view view;
    view_begin(&view, false, 5);
    view_key(&view, 'G', &ten);
    view_fit(&view, &(struct view_rows){.count = 2, .fit = 4});
    ck_assert_uint_eq(view.selected, 1);
    ck_assert_uint_eq(view.top, 0);
    view_fit(&view, &(struct view_rows){0});
    ck_assert_uint_eq(view.selected, 0);
}
END_TEST

START_TEST(a_text_is_typed)
{
    struct view view;
    view_begin(&view, false, 5);
    press(&view, "/abc");
    ck_assert_int_eq(view.prompt, VIEW_FILTER);
    view_key(&view, VIEW_KEY_BACK, &ten);
    view_key(&view, 0xfc, &ten);
    view_key(&view, 0x4e2d, &ten);
    view_key(&view, VIEW_KEY_BACK, &ten);
    view_key(&view, VIEW_KEY_UP, &ten);
    ck_assert_str_eq(view.filter, "");
    ck_assert_int_eq(view_key(&view, VIEW_KEY_ENTER, &ten), VIEW_COUNT);
    ck_assert_str_eq(view.filter, "ab\xc3\xbc");
    press(&view, "/");
    ck_assert_str_eq(view.input, "ab\xc3\xbc");
    view_key(&view, VIEW_KEY_ERASE_LINE, &ten);
    press(&view, "x");
    view_key(&view, VIEW_KEY_ESCAPE, &ten);
    ck_assert_str_eq(view.filter, "ab\xc3\xbc");
    ck_assert_int_eq(view_key(&view, VIEW_KEY_ESCAPE, &ten), VIEW_COUNT); /* here the key clears the filter */
    ck_assert_str_eq(view.filter, "");
}
END_TEST

START_TEST(a_text_ends_where_its_room_does)
{
    struct view view;
    view_begin(&view, false, 5);
    press(&view, "/");
    for (int i = 0; i < 2 * VIEW_TEXT; i++)
        view_key(&view, 0x4e2d, &ten);
    ck_assert_uint_eq(strlen(view.input), (VIEW_TEXT - 1) / 3 * 3);
}
END_TEST

START_TEST(a_file_is_named)
{
    struct view view;
    view_begin(&view, false, 5);
    press(&view, "W");
    ck_assert_str_eq(view.input, "ptprofil-top.txt");
    view_key(&view, VIEW_KEY_ERASE_LINE, &ten);
    ck_assert_int_eq(view_key(&view, VIEW_KEY_ENTER, &ten), VIEW_DRAW); /* no function has a name yet */
    press(&view, "W");
    view_key(&view, VIEW_KEY_ERASE_LINE, &ten);
    press(&view, "a.html");
    ck_assert_int_eq(view_key(&view, VIEW_KEY_ENTER, &ten), VIEW_SAVE);
    ck_assert_str_eq(view.file, "a.html");
}
END_TEST

START_TEST(a_function_is_looked_into)
{
    struct view view;
    view_begin(&view, false, 5);
    press(&view, "G");
    ck_assert_int_eq(view_key(&view, VIEW_KEY_ENTER, &ten), VIEW_COUNT);
    ck_assert_uint_eq(view_centre(&view), 7);
    ck_assert_uint_eq(view.selected, 0);
    ck_assert_int_eq(view_key(&view, VIEW_KEY_ENTER, &ten), VIEW_NOTHING); /* selected already */
    ck_assert_int_eq(view_key(&view, VIEW_KEY_BACK, &ten), VIEW_COUNT);
    ck_assert_uint_eq(view_centre(&view), UINT32_MAX);
    ck_assert_int_eq(view_key(&view, VIEW_KEY_BACK, &ten), VIEW_NOTHING);
}
END_TEST

START_TEST(a_thread_is_looked_into)
{
    const struct view_rows threads = {.count = 1, .fit = 1, .has_zoom = true, .zoom = {VIEW_THREADS, 3}};
    struct view view;
    view_begin(&view, false, 5);
    press(&view, "w");
    view_key(&view, VIEW_KEY_ENTER, &threads);
    ck_assert_int_eq(view.by, VIEW_FUNCTIONS);
    ck_assert_uint_eq(view_scope(&view, VIEW_THREADS), 3);
    ck_assert_uint_eq(view_scope(&view, VIEW_PROCESSES), UINT32_MAX);
    ck_assert_uint_eq(view_centre(&view), UINT32_MAX);
    view_key(&view, VIEW_KEY_ENTER, &ten);
    ck_assert_uint_eq(view_centre(&view), 7);
    view_key(&view, VIEW_KEY_BACK, &ten);
    view_key(&view, VIEW_KEY_BACK, &ten);
    ck_assert_int_eq(view.by, VIEW_THREADS);
    ck_assert_uint_eq(view.zoom_count, 0);
}
END_TEST

START_TEST(looking_into_has_an_end)
{
    struct view_rows deeper = ten;
    struct view view;
    view_begin(&view, false, 5);
    for (uint32_t i = 0; i < 2 * VIEW_ZOOMS; i++) {
        deeper.zoom.id = i;
        view_key(&view, VIEW_KEY_ENTER, &deeper);
    }
    ck_assert_uint_eq(view.zoom_count, VIEW_ZOOMS);
    ck_assert(view.message[0]);
    ck_assert_int_eq(view_key(&view, 'x', &ten), VIEW_DRAW); /* the message disappears */
    ck_assert(!view.message[0]);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("top/view");
    UNIT_ADD_TABLE(tests, keys_follow_the_table, rows);
    UNIT_ADD_TABLE(tests, the_cursor_stays_on_the_screen, moves);
    tcase_add_test(tests, fewer_rows_take_the_cursor_along);
    tcase_add_test(tests, a_text_is_typed);
    tcase_add_test(tests, a_text_ends_where_its_room_does);
    tcase_add_test(tests, a_file_is_named);
    tcase_add_test(tests, a_function_is_looked_into);
    tcase_add_test(tests, a_thread_is_looked_into);
    tcase_add_test(tests, looking_into_has_an_end);
    return unit_end();
}
