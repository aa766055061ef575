/* SPDX-License-Identifier: MIT */
#include "common/model/missed.h"

#include "unit.h"

#include <stdint.h>

enum { PERIOD = 1000 };

/* Events before a sample, and the part of its weight that each of them explains. */
static const struct {
    uint64_t waiting, late, nobody_found, weight, period;
    int64_t of_waiting, of_late, of_untold, of_rate;
} bills[] = {
    {0, 0, 0, PERIOD, PERIOD, 0, 0, 0, 0},
    {0, 0, 0, 7 * PERIOD, PERIOD, 0, 0, 0, 0}, /* no known reason */
    {1, 0, 0, 2 * PERIOD, PERIOD, PERIOD, 0, 0, 0},
    {0, 3, 0, 4 * PERIOD, PERIOD, 0, 3 * PERIOD, 0, 0},
    {1, 2, 1, 5 * PERIOD, PERIOD, PERIOD, 2 * PERIOD, PERIOD, 0},
    {1, 0, 0, PERIOD / 2, PERIOD, -PERIOD / 2, 0, 0, 0}, /* negative: it balances other samples */
    {0, 0, 0, 4 * PERIOD, 4 * PERIOD, 0, 0, 0, 3 * PERIOD},
    {1, 0, 0, 6 * PERIOD, 4 * PERIOD, 2 * PERIOD, 0, 0, 3 * PERIOD},
};

START_TEST(time_goes_to_what_happened)
{
    struct missed_events now = {{0}};
    struct thread_missed thread = {{{0}}};
    for (size_t i = 0; i < MISSED_REASONS; i++) {
        now.count[i] = 100 + i;
        thread.seen.count[i] = now.count[i];
    }
    now.count[MISSED_WAITING] += bills[_i].waiting;
    now.count[MISSED_LATE] += bills[_i].late;
    now.count[MISSED_AMBIGUOUS] += bills[_i].nobody_found;
    int64_t ns[MISSED_REASONS] = {0};
    missed_bill(&thread, &now, bills[_i].weight, bills[_i].period, PERIOD, ns);
    ck_assert_int_eq(ns[MISSED_WAITING], bills[_i].of_waiting);
    ck_assert_int_eq(ns[MISSED_LATE], bills[_i].of_late);
    ck_assert_int_eq(ns[MISSED_AMBIGUOUS], bills[_i].of_untold);
    ck_assert_int_eq(ns[MISSED_RATE], bills[_i].of_rate);
    ck_assert_int_eq(ns[MISSED_STOP], 0);
    /* All reasons have been billed. */
    missed_bill(&thread, &now, 9 * PERIOD, PERIOD, PERIOD, ns);
    ck_assert_int_eq(ns[MISSED_WAITING], bills[_i].of_waiting);
    ck_assert_int_eq(ns[MISSED_LATE], bills[_i].of_late);
}
END_TEST

START_TEST(nothing_overflows)
{
    struct missed_events now = {{UINT64_MAX, 5, 7}};
    struct thread_missed thread = {{{0, 6, 0}}};
    int64_t ns[MISSED_REASONS] = {0};
    missed_bill(&thread, &now, UINT64_MAX, 1, UINT64_MAX, ns);
    ck_assert_int_lt(ns[MISSED_RATE], 0);
    for (size_t i = 0; i < MISSED_REASONS; i++) {
        ck_assert_int_le(ns[i], INT64_MAX / 4);
        ck_assert_int_le(missed_millionths(ns[i], 1000000), INT64_MAX / 4);
    }
}
END_TEST

/* A time, and its number of samples at two rates. */
START_TEST(time_is_samples)
{
    ck_assert_int_eq(missed_millionths(3000000, 1000000), 3000000);
    ck_assert_int_eq(missed_millionths(3000000, 20000000), 150000);
    ck_assert_int_eq(missed_millionths(-3000000, 1000000), -3000000);
    ck_assert_int_eq(missed_millionths(0, 1), 0);
}
END_TEST

static const struct {
    uint64_t due, taken, parts[3], fit[3];
} fits[] = {
    {100, 90, {1, 2, 3}, {1, 2, 3}}, /* four samples are missed without a reason */
    {100, 94, {1, 2, 3}, {1, 2, 3}},       {100, 94, {2, 4, 6}, {1, 2, 3}},  {100, 99, {2, 4, 6}, {0, 1, 0}},
    {100, 100, {1, 2, 3}, {0, 0, 0}},      {100, 130, {1, 2, 3}, {0, 0, 0}}, {100, 0, {0, 0, 0}, {0, 0, 0}},
    {UINT64_MAX, 0, {1, 2, 3}, {1, 2, 3}},
};

START_TEST(parts_never_exceed_what_is_missing)
{
    uint64_t parts[3];
    for (int i = 0; i < 3; i++)
        parts[i] = fits[_i].parts[i];
    missed_fit(fits[_i].due, fits[_i].taken, parts, 3);
    for (int i = 0; i < 3; i++)
        ck_assert_uint_eq(parts[i], fits[_i].fit[i]);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("model/missed");
    UNIT_ADD_TABLE(tests, time_goes_to_what_happened, bills);
    tcase_add_test(tests, nothing_overflows);
    tcase_add_test(tests, time_is_samples);
    UNIT_ADD_TABLE(tests, parts_never_exceed_what_is_missing, fits);
    return unit_end();
}
