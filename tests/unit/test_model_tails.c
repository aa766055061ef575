/* SPDX-License-Identifier: MIT */
#include "common/model/tails.h"

#include "unit.h"

/* Tails that were read, and what to expect of PAGES then. */
static const struct {
    const char *name;
    struct {
        uint64_t pages, ns;
    } read[3];
    uint64_t pages, least, most;
} rows[] = {
    {"none was read", {{0}}, 300, 0, 0},
    {"one, also for another size", {{300, 90000}}, 5000, 90000, 90000},
    {"equal sizes: the mean", {{300, 80000}, {300, 90000}, {300, 130000}}, 300, 100000, 100000},
    {"two sizes: a line", {{100, 60000}, {300, 100000}}, 1100, 259990, 260010},
    {"below both", {{100, 60000}, {300, 100000}}, 0, 39990, 40010},
    {"a line below zero", {{1000, 10000}, {2000, 1010000}}, 0, 0, 0},
    {"more memory, less time: the mean", {{100, 100000}, {300, 60000}}, 5000, 80000, 80000},
};

START_TEST(expectations_follow_the_table)
{
    struct tails tails = {0};
    for (size_t i = 0; i < UNIT_ROWS(rows[_i].read) && rows[_i].read[i].ns; i++)
        tails_add(&tails, rows[_i].read[i].pages, rows[_i].read[i].ns);
    uint64_t ns = tails_expect(&tails, rows[_i].pages);
    ck_assert_msg(ns >= rows[_i].least && ns <= rows[_i].most, "%s: %llu", rows[_i].name, (unsigned long long)ns);
}
END_TEST

START_TEST(old_tails_lose_weight)
{
    struct tails tails = {0};
    for (int i = 0; i < 3000; i++)
        tails_add(&tails, 300, 100000);
    for (int i = 0; i < 5000; i++)
        tails_add(&tails, 300, 50000);
    ck_assert_uint_lt(tails_expect(&tails, 300), 55000);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("tails");
    UNIT_ADD_TABLE(tests, expectations_follow_the_table, rows);
    tcase_add_test(tests, old_tails_lose_weight);
    return unit_end();
}
