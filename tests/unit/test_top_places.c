/* SPDX-License-Identifier: MIT */
#include "front/top/places.h"

#include "front/top/board.h"
#include "front/top/view.h"
#include "test_top.h"
#include "unit.h"

START_TEST(nodes_of_one_address_are_one_place)
{
    struct record record;
    struct places places = {0};
    top_begin(&record);
    top_sample(&record, 100, "10", -1, 1, 0);
    top_sample(&record, 100, "110", -1, 1, 0); /* 1 is in two nodes */
    ck_assert(places_follow(&places, &record));
    ck_assert_uint_eq(record.nodes.count, 3);
    ck_assert_uint_eq(places.nodes.count, 3);
    ck_assert_uint_eq(places.places.count, 2);
    top_sample(&record, 101, "10", -1, 1, 0);
    ck_assert(places_follow(&places, &record));
    ck_assert_uint_eq(places.places.count, 2);
    places_free(&places);
    record_fini(&record);
}
END_TEST

static const struct {
    const char *names[3], *modules[3]; /* in the order of adding */
    bool full;
    size_t functions;
    const char *shown[3];
} rows[] = {
    {{"a", "b", "c"}, {"x", "x", "x"}, false, 3, {"a", "b", "c"}},
    {{"a", "a", "a"}, {"x", "x", "x"}, false, 1, {"a", "a", "a"}},
    {{"a", "a", "b"}, {"x", "y", "x"}, false, 3, {"a", "a", "b"}},
    {{"f(int)", "g<short>()", "g<double>()"}, {"x", "x", "x"}, false, 3, {"f", "g<short>", "g<double>"}},
    {{"f(int)", "g<short>()", "h"}, {"x", "x", "x"}, true, 3, {"f(int)", "g<short>()", "h"}},
    {{"f(int)", "f(int) [clone .cold]", "h"}, {"x", "x", "x"}, false, 2, {"f", "f", "h"}}, /* a part of the function */
};

START_TEST(functions_follow_the_table)
{
    struct places places = {.full_names = rows[_i].full};
    uint32_t numbers[3];
    for (size_t i = 0; i < 3; i++) {
        numbers[i] = places_function(&places, rows[_i].names[i], rows[_i].modules[i], false);
        ck_assert(places_settle(&places)); /* names arrive one by one */
    }
    ck_assert_uint_eq(places.functions.count, rows[_i].functions);
    for (size_t i = 0; i < 3; i++) {
        ck_assert_str_eq(places_name(&places, numbers[i]), rows[_i].shown[i]);
        ck_assert_str_eq(places_module(&places, numbers[i]), rows[_i].modules[i]);
    }
    places_free(&places);
}
END_TEST

START_TEST(each_place_is_asked_for_once)
{
    struct record record;
    struct places places = {0};
    uint32_t picked[3];
    top_begin(&record);
    top_sample(&record, 100, "3210", -1, 1, 0);
    ck_assert(places_follow(&places, &record));
    size_t whole = places.places.count, got = 0, one;
    while ((one = places_pick(&places, picked, 3)) > 0) {
        ck_assert_uint_le(one, 3);
        for (size_t i = 0; i < one; i++)
            ck_assert_int_eq(places.places.items[picked[i]].state, PLACES_ASKED);
        got += one;
    }
    ck_assert_uint_eq(got, whole);
    places_free(&places);
    record_fini(&record);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("top/places");
    tcase_add_test(tests, nodes_of_one_address_are_one_place);
    UNIT_ADD_TABLE(tests, functions_follow_the_table, rows);
    tcase_add_test(tests, each_place_is_asked_for_once);
    return unit_end();
}
