/* SPDX-License-Identifier: MIT */
#include "profile/profile/noise.h"

#include "test_profile.h"
#include "unit.h"

/* Changes in milliseconds. A sample stands for 10 ms unless given. */
static const struct {
    uint64_t samples, base_samples;
    double ms, base_ms;
    int64_t change_ms;
    bool noise;
} changes[] = {
    {0, 0, 10, 10, 0, true},
    {0, 0, 10, 10, 42, true}, /* 3 * 10 * sqrt(2) = 42.4 */
    {0, 0, 10, 10, 43, false},
    {0, 0, 10, 10, -42, true},
    {0, 0, 10, 10, -43, false},
    {10, 0, 10, 10, 100, true}, /* chance exceeds this in 2 of 1000 comparisons */
    {11, 0, 10, 10, 110, false},
    {0, 11, 10, 10, -110, false},
    {100, 100, 10, 10, 426, true}, /* 3 * 10 * sqrt(202) = 426.4 */
    {100, 100, 10, 10, 427, false},
    {1000, 900, 10, 10, 1000, true},
    {10000, 9000, 10, 10, 10000, false},
    /* a base with ten times as many samples is more accurate */
    {100, 1000, 10, 1, 316, true}, /* 3 * sqrt(100 * 101 + 1001) = 316.08 */
    {100, 1000, 10, 1, 317, false},
    /* without samples, the values are exact */
    {0, 0, 0, 0, 0, true},
    {0, 0, 0, 0, 1, false},
};

START_TEST(changes_follow_the_table)
{
    struct noise noise = {changes[_i].ms * 1e6, changes[_i].base_ms * 1e6};
    ck_assert_int_eq(
        noise_explains(&noise, changes[_i].change_ms * 1000000, changes[_i].samples, changes[_i].base_samples),
        changes[_i].noise);
}
END_TEST

START_TEST(weights_are_averages)
{
    struct profile *example = make_example(), *empty = make_profile(NULL);
    struct noise noise = noise_of(example, empty);
    ck_assert_double_eq_tol(noise.ns, 3602000000.0 / 361, 1);
    ck_assert_double_eq(noise.base_ns, 0);
    profile_free(example);
    profile_free(empty);
}
END_TEST

/* Two equal programs with random samples: the difference is seldom significant. */
START_TEST(chance_is_seldom_taken_for_more)
{
    enum { ROUNDS = 20000, PERIODS = 400 };
    const struct noise noise = {1e6, 1e6};
    unsigned found = 0;
    uint64_t state = 88172645463325252u;
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint64_t counts[2] = {0, 0};
        for (unsigned i = 0; i < 2 * PERIODS; i++) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            counts[i % 2] += state % 20 < 1 + round % 10; /* a function with 5 to 50 % of the time */
        }
        int64_t change_ns = ((int64_t)counts[0] - (int64_t)counts[1]) * 1000000;
        found += !noise_explains(&noise, change_ns, counts[0], counts[1]);
    }
    ck_assert_uint_le(found, ROUNDS * 3 / 1000);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("profile/noise");
    UNIT_ADD_TABLE(tests, changes_follow_the_table, changes);
    tcase_add_test(tests, weights_are_averages);
    tcase_add_test(tests, chance_is_seldom_taken_for_more);
    return unit_end();
}
