/* SPDX-License-Identifier: MIT */
#include "common/model/timeout.h"

#include "unit.h"

enum { SINCE = 5000, LENGTH = 1000 };

static const struct {
    uint64_t since, length, now;
    enum timeout_look look;
    enum timeout_step step;
} steps[] = {
    {SINCE, LENGTH, SINCE, TIMEOUT_NOT_YET, TIMEOUT_ENTER},
    {SINCE, LENGTH, SINCE + LENGTH - 1, TIMEOUT_NOT_YET, TIMEOUT_ENTER}, /* never early */
    {SINCE, LENGTH, SINCE + LENGTH, TIMEOUT_NOT_YET, TIMEOUT_LOOK},      /* nor without a check */
    {SINCE, LENGTH, SINCE + 50 * LENGTH, TIMEOUT_NOT_YET, TIMEOUT_LOOK},
    {SINCE, LENGTH, SINCE + LENGTH, TIMEOUT_LOOKS, TIMEOUT_LOOK}, /* the check did not happen */
    {SINCE, LENGTH, SINCE + LENGTH, TIMEOUT_LOOKED, TIMEOUT_END},
    {SINCE, LENGTH, SINCE + LENGTH - 1, TIMEOUT_LOOKED, TIMEOUT_ENTER},
    {SINCE, 0, SINCE, TIMEOUT_NOT_YET, TIMEOUT_LOOK},
    {SINCE, 0, SINCE, TIMEOUT_LOOKED, TIMEOUT_END},
    {SINCE, TIMEOUT_NONE, UINT64_MAX, TIMEOUT_NOT_YET, TIMEOUT_ENTER},
    {SINCE, TIMEOUT_NONE, UINT64_MAX, TIMEOUT_LOOKED, TIMEOUT_ENTER},
    {SINCE, TIMEOUT_NONE - SINCE - 1, UINT64_MAX - 1, TIMEOUT_NOT_YET, TIMEOUT_LOOK},
    {SINCE, TIMEOUT_NONE - SINCE - 1, UINT64_MAX - 2, TIMEOUT_NOT_YET, TIMEOUT_ENTER},
    {SINCE, TIMEOUT_NONE - SINCE, UINT64_MAX, TIMEOUT_NOT_YET, TIMEOUT_ENTER}, /* beyond the largest time */
    {SINCE, TIMEOUT_NONE - 1, UINT64_MAX, TIMEOUT_NOT_YET, TIMEOUT_ENTER},
};

START_TEST(steps_follow_the_table)
{
    const struct timeout timeout = {
        .since_ns = steps[_i].since, .length_ns = steps[_i].length, .asked = true, .look = steps[_i].look};
    ck_assert_int_eq(timeout_step(&timeout, steps[_i].now), steps[_i].step);
}
END_TEST

START_TEST(nothing_is_known_of_a_new_call)
{
    struct timeout timeout = {1, 2, true, 3, TIMEOUT_LOOKED, true, true};
    timeout_begin(&timeout, SINCE);
    ck_assert_uint_eq(timeout.since_ns, SINCE);
    ck_assert(!timeout.asked && !timeout.due_ns && !timeout.watched && timeout.look == TIMEOUT_NOT_YET);
    ck_assert_uint_eq(timeout_due(&timeout), TIMEOUT_NONE);
    timeout.length_ns = LENGTH;
    ck_assert_uint_eq(timeout_due(&timeout), SINCE + LENGTH);
}
END_TEST

static const struct {
    int64_t seconds, nanoseconds;
    uint64_t length;
} lengths[] = {
    {0, 0, 0},
    {0, 1, 1},
    {1, 999999999, 1999999999},
    {3600, 500, 3600000000500},
    {0, 1000000000, TIMEOUT_NONE}, /* invalid for the kernel */
    {0, -1, TIMEOUT_NONE},
    {-1, 0, TIMEOUT_NONE},
    {18446744072, 999999999, 18446744072999999999u},
    {18446744073, 0, TIMEOUT_NONE},
    {INT64_MAX, 0, TIMEOUT_NONE},
    {INT64_MIN, INT64_MIN, TIMEOUT_NONE},
};

START_TEST(lengths_follow_the_table)
{
    ck_assert_uint_eq(timeout_length(lengths[_i].seconds, lengths[_i].nanoseconds), lengths[_i].length);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("model/timeout");
    UNIT_ADD_TABLE(tests, steps_follow_the_table, steps);
    tcase_add_test(tests, nothing_is_known_of_a_new_call);
    UNIT_ADD_TABLE(tests, lengths_follow_the_table, lengths);
    return unit_end();
}
