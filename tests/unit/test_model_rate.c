/* SPDX-License-Identifier: MIT */
#include "common/model/rate.h"

#include "unit.h"

#define SECOND UINT64_C(1000000000)

/* The sampled time, and the rate after it. */
static const struct {
    uint32_t rate;
    uint64_t sampled_ns;
    uint32_t hz;
} holds[] = {
    {RATE_AUTO, 0, 1000},          {RATE_AUTO, 299999999, 1000},
    {RATE_AUTO, 300000000, 200},   {RATE_AUTO, 10 * SECOND - 1, 200},
    {RATE_AUTO, 10 * SECOND, 100}, {RATE_AUTO, 60 * SECOND, 50},
    {RATE_AUTO, UINT64_MAX, 50},   {997, 0, 997},
    {997, UINT64_MAX, 997},        {20000, 10 * SECOND, 20000},
};

START_TEST(the_rate_follows_the_sampled_time)
{
    unsigned step = rate_step(holds[_i].rate, holds[_i].sampled_ns);
    ck_assert_uint_lt(step, RATE_STEPS);
    ck_assert_uint_eq(rate_hz(holds[_i].rate, step), holds[_i].hz);
    ck_assert_uint_eq(rate_period_ns(holds[_i].rate, step), SECOND / holds[_i].hz);
}
END_TEST

/* The time sampled in each step, and the number of due samples. */
static const struct {
    uint32_t rate;
    uint64_t sampled_ns[RATE_STEPS];
    double due;
} means[] = {
    {RATE_AUTO, {300000000}, 300},
    {RATE_AUTO, {300000000, 700000000}, 440},
    {RATE_AUTO, {SECOND, 9 * SECOND, 50 * SECOND, 3540 * SECOND}, 1000 + 1800 + 5000 + 177000},
    {RATE_AUTO, {0, 0, 0, SECOND}, 50},
    {250, {SECOND}, 250},
    {250, {0}, 0},
    {RATE_AUTO, {0}, 0},
};

START_TEST(the_mean_is_what_was_due)
{
    double all_ns = 0, mean = rate_mean(means[_i].rate, means[_i].sampled_ns);
    for (unsigned i = 0; i < RATE_STEPS; i++)
        all_ns += (double)means[_i].sampled_ns[i];
    ck_assert_double_gt(mean, 0);
    ck_assert_double_eq_tol(mean * all_ns / 1e9, means[_i].due, 1e-6);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("model/rate");
    UNIT_ADD_TABLE(tests, the_rate_follows_the_sampled_time, holds);
    UNIT_ADD_TABLE(tests, the_mean_is_what_was_due, means);
    return unit_end();
}
