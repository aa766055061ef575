/* SPDX-License-Identifier: MIT */
#include "common/base/quantile.h"

#include "unit.h"

#include <stdbool.h>
#include <stdint.h>

#define LONGEST ((uint64_t)1 << 40)

/* A value may differ by half of one sixteenth from the added one. */
static bool near(uint64_t read, uint64_t value)
{
    uint64_t apart = read > value ? read - value : value - read;
    return apart * 32 <= value;
}

static uint64_t alone(uint64_t ns)
{
    static struct quantile quantile;
    quantile = (struct quantile){0};
    quantile_add(&quantile, ns);
    return quantile_read(&quantile, 500);
}

START_TEST(every_value_comes_back_nearly)
{
    uint64_t wrong = 0, before = 0, looked = 0;
    for (uint64_t ns = 0; ns <= LONGEST; ns += ns / 5000 + 1, looked++) {
        uint64_t read = alone(ns);
        wrong += !near(read, ns) || read < before; /* results must be sorted */
        before = read;
    }
    ck_assert_uint_gt(looked, 90000);
    ck_assert_uint_eq(wrong, 0);
}
END_TEST

START_TEST(powers_of_two_are_no_seams)
{
    for (unsigned power = 0; power <= 40; power++) {
        uint64_t ns = (uint64_t)1 << power;
        ck_assert(near(alone(ns), ns));
        ck_assert(near(alone(ns - 1), ns - 1));
        ck_assert(near(alone(ns + 1), ns + 1));
        ck_assert_uint_le(alone(ns - 1), alone(ns));
    }
}
END_TEST

START_TEST(the_shortest_are_exact)
{
    for (uint64_t ns = 0; ns < 32; ns++)
        ck_assert_uint_eq(alone(ns), ns);
}
END_TEST

static const uint64_t too_long[] = {LONGEST * 8, LONGEST * 1000, UINT64_MAX - 1, UINT64_MAX};

START_TEST(what_is_too_long_is_in_the_last_class)
{
    struct quantile quantile = {0};
    quantile_add(&quantile, 5);
    quantile_add(&quantile, too_long[_i]);
    ck_assert_uint_eq(quantile.total, 2);
    ck_assert_uint_eq(quantile.counts[QUANTILE_CLASSES - 1], 1);
    ck_assert_uint_eq(quantile_read(&quantile, 500), 5);
    ck_assert_uint_ge(quantile_read(&quantile, 1000), LONGEST);
}
END_TEST

static const struct {
    unsigned permille;
    uint64_t value; /* of 1 to 1000, in any order */
} thousand[] = {{0, 1},     {1, 1},     {2, 2},     {10, 10},   {100, 100}, {250, 250},
                {500, 500}, {501, 501}, {900, 900}, {990, 990}, {999, 999}, {1000, 1000}};

START_TEST(quantiles_of_a_thousand_values)
{
    struct quantile quantile = {0};
    for (uint64_t i = 0; i < 1000; i++)
        quantile_add(&quantile, 1 + i * 387 % 1000); /* each number once, as 387 and 1000 have no common divisor */
    ck_assert_uint_eq(quantile.total, 1000);
    ck_assert(near(quantile_read(&quantile, thousand[_i].permille), thousand[_i].value));
}
END_TEST

/* SMALL values of 8 and LARGE ones of 24. The quantile at which one follows the other is exact. */
static const struct {
    unsigned small, large, permille;
    uint64_t value;
} edges[] = {
    {1, 0, 0, 8},       {1, 0, 500, 8},    {1, 0, 1000, 8},     {0, 1, 1, 24},    {1, 1, 500, 8},
    {1, 1, 501, 24},    {1, 1, 1000, 24},  {99, 1, 990, 8},     {99, 1, 991, 24}, {999, 1, 999, 8},
    {999, 1, 1000, 24}, {1999, 1, 999, 8}, {1999, 1, 1000, 24}, {1, 2, 333, 8},   {1, 2, 334, 24},
};

START_TEST(edges_follow_the_table)
{
    struct quantile quantile = {0};
    for (unsigned i = 0; i < edges[_i].small; i++)
        quantile_add(&quantile, 8);
    for (unsigned i = 0; i < edges[_i].large; i++)
        quantile_add(&quantile, 24);
    ck_assert_uint_eq(quantile_read(&quantile, edges[_i].permille), edges[_i].value);
}
END_TEST

static const unsigned permilles[] = {0, 1, 500, 999, 1000};

START_TEST(no_values_have_no_quantile)
{
    struct quantile quantile = {0};
    ck_assert_uint_eq(quantile_read(&quantile, permilles[_i]), 0);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("base/quantile");
    tcase_add_test(tests, every_value_comes_back_nearly);
    tcase_add_test(tests, powers_of_two_are_no_seams);
    tcase_add_test(tests, the_shortest_are_exact);
    UNIT_ADD_TABLE(tests, what_is_too_long_is_in_the_last_class, too_long);
    UNIT_ADD_TABLE(tests, quantiles_of_a_thousand_values, thousand);
    UNIT_ADD_TABLE(tests, edges_follow_the_table, edges);
    UNIT_ADD_TABLE(tests, no_values_have_no_quantile, permilles);
    return unit_end();
}
