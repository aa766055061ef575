/* SPDX-License-Identifier: MIT */
#include "front/top/layout.h"

#include "common/text/text.h"
#include "front/top/board.h"
#include "front/top/view.h"
#include "test_top.h"
#include "unit.h"

static struct layout_source source_of(struct top_made *made, const struct board_source *from, unsigned width,
                                      unsigned height)
{
    ck_assert(board_make(&made->board, from, &made->view));
    return (struct layout_source){.view = &made->view,
                                  .board = &made->board,
                                  .from = from,
                                  .head = {.target = "./prog \x1b[2J --all"},
                                  .width = width,
                                  .height = height,
                                  .utf8 = true};
}

static const char *line(const struct layout *layout, size_t index)
{
    ck_assert_uint_lt(index, layout->count);
    return layout->items[index].text.bytes ? layout->items[index].text.bytes : "";
}

static const struct {
    unsigned width, height;
    size_t lines, rows; /* of the screen; visible ones */
} sizes[] = {
    {80, 24, 24, 18}, {200, 50, 50, 44}, {20, 5, 5, 2}, {40, 8, 8, 4}, {80, 10, 10, 4},      {80, 9, 9, 5},
    {80, 3, 3, 1},    {80, 2, 2, 2},     {1, 1, 1, 1},  {3, 4, 4, 1},  {500, 200, 200, 194},
};

START_TEST(any_screen_is_filled_and_never_overrun)
{
    struct top_made made;
    struct layout layout = {0};
    top_make(&made);
    struct board_source from = {&made.record, &made.picture, &made.places};
    for (unsigned help = 0; help < 2; help++)
        for (unsigned prompt = 0; prompt < 3; prompt++) {
            made.view.help = help;
            made.view.prompt = (enum view_prompt)prompt;
            strcpy(made.view.input, "a long name that is typed into any screen, however small it is");
            struct layout_source source = source_of(&made, &from, sizes[_i].width, sizes[_i].height);
            layout_screen(&layout, &source);
            ck_assert_uint_le(layout.count, sizes[_i].lines);
            ck_assert(!layout.failed);
            for (size_t i = 0; i < layout.count; i++) {
                ck_assert_uint_le(text_columns(line(&layout, i)), sizes[_i].width);
                ck_assert_ptr_null(strchr(line(&layout, i), 0x1b));
            }
            if (prompt)
                ck_assert_uint_lt(layout.cursor, sizes[_i].width);
        }
    ck_assert_uint_eq(layout_rows_of(sizes[_i].height), sizes[_i].rows);
    layout_free(&layout);
    top_destroy(&made);
}
END_TEST

static const struct {
    unsigned width;
    const char *titles, *row; /* of work */
} columns[] = {
    {80, " *self  total    self  total    CPU s  function             module    ",
     "  0.0%   0.0%   20.0%  70.0%     0.02  work                 prog"},
    {46, " *self  total    self  function", "                20.0%  work"},
    {20, " *self  function    ", "        work"},
};

START_TEST(columns_follow_the_width)
{
    struct top_made made;
    struct layout layout = {0};
    top_make(&made);
    struct board_source from = {&made.record, &made.picture, &made.places};
    struct layout_source source = source_of(&made, &from, columns[_i].width, 24);
    layout_screen(&layout, &source);
    ck_assert_msg(!strncmp(line(&layout, 4), columns[_i].titles, strcspn(columns[_i].titles, "f")), "%s",
                  line(&layout, 4));
    ck_assert_uint_eq(layout.items[4].style, LAYOUT_HEAD);
    bool found = false;
    for (size_t i = 5; i < layout.count; i++)
        found |= strstr(line(&layout, i), "  work") != NULL;
    ck_assert(found);
    ck_assert_int_eq(layout.items[5].style, LAYOUT_SELECTED);
    layout_free(&layout);
    top_destroy(&made);
}
END_TEST

START_TEST(a_text_has_whole_names)
{
    struct top_made made;
    struct layout layout = {0};
    top_make(&made);
    made.view.by_all = true;
    struct board_source from = {&made.record, &made.picture, &made.places};
    struct layout_source source = source_of(&made, &from, 0, 0);
    layout_text(&layout, &source, 0);
    ck_assert_str_eq(line(&layout, 0), "ptprofil top: ./prog \\x1b[2J --all");
    ck_assert_str_eq(line(&layout, 1),
                     "last 1 s: 0.03 CPUs, 1 samples; all 2 s: 100 ms running, 50.0 ms waiting, 4 samples");
    ck_assert_str_eq(line(&layout, 4), "  self  total   *self  total    CPU s  function             module");
    ck_assert_str_eq(line(&layout, 5), "                40.0%  40.0%     0.04  deep                 prog");
    layout_text(&layout, &source, 2);
    ck_assert_uint_eq(layout.count, 8);
    ck_assert_str_eq(line(&layout, 7), "(3 more rows)");
    layout_free(&layout);
    top_destroy(&made);
}
END_TEST

START_TEST(the_zoom_is_shown)
{
    struct top_made made;
    struct layout layout = {0};
    top_make(&made);
    struct board_source from = {&made.record, &made.picture, &made.places};
    made.view.zooms[0] = (struct view_zoom){VIEW_THREADS, made.record.samples.items[0].thread};
    made.view.zooms[1] = (struct view_zoom){VIEW_FUNCTIONS, places_function(&made.places, "work", "prog", false)};
    made.view.zoom_count = 2;
    strcpy(made.view.filter, "d.*p\x1b");
    made.view.paused = true;
    struct layout_source source = source_of(&made, &from, 0, 0);
    source.head.ended = true;
    source.head.state = "it is over";
    layout_text(&layout, &source, 0);
    ck_assert_str_eq(line(&layout, 0), "[ended] [paused] ptprofil top: ./prog \\x1b[2J --all");
    ck_assert(!strncmp(line(&layout, 1), "it is over; last 1 s", 20));
    ck_assert_str_eq(line(&layout, 2),
                     "[functions] threads  processes  waiting   filter: d.*p\\x1b (2 hidden)  in: prog 100/100 > work");
    layout_free(&layout);
    top_destroy(&made);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("top/layout");
    UNIT_ADD_TABLE(tests, any_screen_is_filled_and_never_overrun, sizes);
    UNIT_ADD_TABLE(tests, columns_follow_the_width, columns);
    tcase_add_test(tests, a_text_has_whole_names);
    tcase_add_test(tests, the_zoom_is_shown);
    return unit_end();
}
