/* SPDX-License-Identifier: MIT */
#include "profile/report/table_rows.h"

#include "unit.h"

#include <stdio.h>

static void add(struct table_rows *rows, const char *name, const char *detail, uint64_t user_ns)
{
    struct table_row *row = table_rows_get(rows, name, detail);
    ck_assert_ptr_nonnull(row);
    row->samples++;
    row->user_ns += user_ns;
}

START_TEST(both_texts_identify_a_row)
{
    struct table_rows rows = {0};
    add(&rows, "a", "x", 1);
    add(&rows, "a", "y", 2);
    add(&rows, "x", "a", 4);
    add(&rows, "a", "x", 8);
    add(&rows, "ax", "", 16);
    ck_assert_uint_eq(rows.count, 4);
    ck_assert_uint_eq(table_rows_get(&rows, "a", "x")->user_ns, 9);
    ck_assert_uint_eq(table_rows_get(&rows, "a", "x")->samples, 2);
    ck_assert_uint_eq(table_rows_get(&rows, "x", "a")->user_ns, 4);
    table_rows_fini(&rows);
    table_rows_fini(&rows);
}
END_TEST

START_TEST(sorting_is_by_time_then_by_name)
{
    static const char *const order[] = {"d", "a", "b", "b", "c"};
    struct table_rows rows = {0};
    add(&rows, "c", "", 1);
    add(&rows, "b", "2", 1);
    add(&rows, "b", "1", 1);
    add(&rows, "a", "", 1);
    add(&rows, "d", "", 2);
    table_rows_sort(&rows);
    for (size_t i = 0; i < 5; i++)
        ck_assert_str_eq(rows.items[i].name, order[i]);
    ck_assert_str_eq(rows.items[2].detail, "1");
    ck_assert_ptr_null(table_rows_get(&rows, "d", ""));
    table_rows_sort_by_name(&rows);
    ck_assert_str_eq(rows.items[0].name, "a");
    ck_assert_str_eq(rows.items[4].name, "d");
    table_rows_fini(&rows);
}
END_TEST

/* Ten rows of 40, 20, 10, 10, 10, 5, 2, 1, 1, 1: the sum is 100. */
static const struct {
    size_t most;
    double min_percent;
    size_t shown;
    uint64_t rest;
} cuts[] = {
    {0, 0, 10, 0},   {3, 0, 3, 30}, {0, 5, 6, 5},   {0, 5.1, 5, 10},
    {4, 50, 0, 100}, {9, 0, 10, 0}, {20, 0, 10, 0}, {0, 100, 0, 100},
};

START_TEST(omitted_rows_are_added_up)
{
    static const uint64_t times[] = {40, 20, 10, 10, 10, 5, 2, 1, 1, 1};
    struct table_rows rows = {0};
    struct table_row rest;
    for (unsigned i = 0; i < 10; i++) {
        char name[8];
        snprintf(name, sizeof name, "%u", i);
        add(&rows, name, "", times[i]);
    }
    table_rows_sort(&rows);
    struct table_rows_limits limits = {.most = cuts[_i].most, .min_percent = cuts[_i].min_percent, .whole_ns = 100};
    ck_assert_uint_eq(table_rows_cut(&rows, &limits, &rest), 10 - cuts[_i].shown);
    for (unsigned i = 0; i < 10; i++)
        ck_assert_int_eq(rows.items[i].left_out, i >= cuts[_i].shown);
    ck_assert_uint_eq(table_row_ns(&rest), cuts[_i].rest);
    ck_assert_uint_eq(rest.samples, 10 - cuts[_i].shown);
    table_rows_fini(&rows);
}
END_TEST

/* Names by descending self and by descending total, with their callees below. A row stays because of its total, also
 * among omitted ones. */
START_TEST(a_total_sorts_and_keeps_a_row)
{
    static const struct {
        const char *name;
        uint64_t self, below;
    } given[] = {{"leaf", 70, 0}, {"main", 0, 100}, {"rare", 1, 0}, {"start", 0, 100}, {"some", 29, 1}, {"none", 0, 1}};
    static const struct {
        void (*sort)(struct table_rows *rows);
        const char *order[6];
        bool left_out[6];
    } sorts[] = {
        {table_rows_sort, {"leaf", "some", "rare", "main", "start", "none"}, {false, false, true, false, false, true}},
        {table_rows_sort_by_total,
         {"main", "start", "leaf", "some", "rare", "none"},
         {false, false, false, false, true, true}},
    };
    for (size_t sort = 0; sort < 2; sort++) {
        struct table_rows rows = {0};
        struct table_row rest;
        for (size_t i = 0; i < 6; i++) {
            struct table_row *row = table_rows_get(&rows, given[i].name, "");
            row->user_ns = given[i].self;
            row->below_ns = given[i].below;
        }
        sorts[sort].sort(&rows);
        ck_assert_uint_eq(table_rows_cut(&rows, &(struct table_rows_limits){.min_percent = 2, .whole_ns = 100}, &rest),
                          2);
        ck_assert_uint_eq(table_row_ns(&rest), 1);
        for (size_t i = 0; i < 6; i++) {
            ck_assert_str_eq(rows.items[i].name, sorts[sort].order[i]);
            ck_assert_int_eq(rows.items[i].left_out, sorts[sort].left_out[i]);
        }
        table_rows_fini(&rows);
    }
}
END_TEST

/* Self and total are 70/70, 29/30, 1/1 and 0/100: a row without self time is omitted, even if it is the only one. */
START_TEST(rows_without_self_are_omitted)
{
    static const struct {
        const char *name;
        uint64_t self, below;
    } given[] = {{"leaf", 70, 0}, {"some", 29, 1}, {"rare", 1, 0}, {"main", 0, 100}};
    static const size_t left_out[] = {1, 1, 2}; /* with a minimum of 0, 1, 2 % */
    for (unsigned least = 0; least < 3; least++) {
        struct table_rows rows = {0};
        struct table_row rest;
        for (size_t i = 0; i < 4; i++) {
            struct table_row *row = table_rows_get(&rows, given[i].name, "");
            row->user_ns = given[i].self;
            row->below_ns = given[i].below;
        }
        table_rows_sort(&rows);
        struct table_rows_limits limits = {.min_percent = least, .whole_ns = 100, .own = true};
        ck_assert_uint_eq(table_rows_cut(&rows, &limits, &rest), left_out[least]);
        ck_assert(rows.items[3].left_out && !rows.items[1].left_out);
        limits.own = false;
        table_rows_cut(&rows, &limits, &rest);
        ck_assert(!rows.items[3].left_out);
        table_rows_fini(&rows);
    }
}
END_TEST

START_TEST(no_rows_are_no_trouble)
{
    struct table_rows rows = {0};
    struct table_row rest;
    table_rows_sort(&rows);
    ck_assert_uint_eq(table_rows_cut(&rows, &(struct table_rows_limits){.min_percent = 0.1}, &rest), 0);
    ck_assert_uint_eq(table_row_ns(&rest), 0);
    table_rows_fini(&rows);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("report/table_rows");
    tcase_add_test(tests, both_texts_identify_a_row);
    tcase_add_test(tests, sorting_is_by_time_then_by_name);
    UNIT_ADD_TABLE(tests, omitted_rows_are_added_up, cuts);
    tcase_add_test(tests, a_total_sorts_and_keeps_a_row);
    tcase_add_test(tests, rows_without_self_are_omitted);
    tcase_add_test(tests, no_rows_are_no_trouble);
    return unit_end();
}
