/* SPDX-License-Identifier: MIT */
#include "common/model/tick.h"

#include "unit.h"

#include <stdbool.h>
#include <stdint.h>

enum { MS = 1000000 };
#define SECOND ((uint64_t)1000 * MS)

static const struct {
    uint64_t start, period, seed;
} schedules[] = {
    {0, 10 * MS, 0}, {123456789, MS, 1}, {UINT64_C(1) << 62, 50000, UINT64_MAX}, {777, 1, 42}, /* a period of 1 ns */
    {777, 7, 42},
};

/* Called early, in the middle or late in the previous period, it never skips a period. */
START_TEST(each_period_has_one_instant)
{
    struct tick_schedule schedule;
    uint64_t start = schedules[_i].start, period = schedules[_i].period, wrong = 0;
    tick_start(&schedule, start, period, schedules[_i].seed);
    for (uint64_t number = 0; number < 20000; number++) {
        uint64_t skipped = 4711, began = start + number * period;
        uint64_t now = number % 3 == 0 ? began : number % 3 == 1 ? began - period / 2 : began + period - 1;
        uint64_t instant = tick_next(&schedule, now, &skipped);
        wrong += instant < began || instant >= began + period || skipped;
    }
    ck_assert_uint_eq(wrong, 0);
}
END_TEST

/* Three calls with NOW in thousandths of a period after the start, and the expected periods. */
static const struct {
    unsigned now[3];
    unsigned period[3];
    unsigned skipped[3];
} lates[] = {
    {{0, 0, 0}, {0, 1, 2}, {0, 0, 0}},
    {{0, 1000, 2000}, {0, 1, 2}, {0, 0, 0}},
    {{999, 1999, 2999}, {0, 1, 2}, {0, 0, 0}}, /* inside the requested period */
    {{1000, 1000, 1000}, {1, 2, 3}, {1, 0, 0}},
    {{0, 2000, 3000}, {0, 2, 3}, {0, 1, 0}},
    {{0, 2999, 3000}, {0, 2, 3}, {0, 1, 0}},
    {{0, 3000, 3000}, {0, 3, 4}, {0, 2, 0}},
    {{500, 1000500, 1000500}, {0, 1000, 1001}, {0, 999, 0}},
    {{7500, 9500, 30000}, {7, 9, 30}, {7, 1, 20}},
};

START_TEST(missed_ticks_are_skipped_and_counted)
{
    enum { START = 5000, PERIOD = MS };
    struct tick_schedule schedule;
    tick_start(&schedule, START, PERIOD, 99);
    for (int i = 0; i < 3; i++) {
        uint64_t skipped = 4711;
        uint64_t instant = tick_next(&schedule, START + (uint64_t)lates[_i].now[i] * (PERIOD / 1000), &skipped);
        ck_assert_uint_eq((instant - START) / PERIOD, lates[_i].period[i]);
        ck_assert_uint_eq(skipped, lates[_i].skipped[i]);
    }
}
END_TEST

enum { BINS = 100, DRAWS = 200000 };

/* Returns the sum of (found - expected)^2 / expected over the bins. With a uniform source, this is about BINS - 1,
 * with a standard deviation of 14. */
static double chi_square(const unsigned *bins, size_t count, double expected)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += ((double)bins[i] - expected) * ((double)bins[i] - expected) / expected;
    return sum;
}

static const uint64_t seeds[] = {0, 1, 2, 0x123456789abcdef, UINT64_MAX};

/* Uniform over the whole period, and independent of the previous one. The seeds are fixed, so this test cannot fail
 * by chance. */
START_TEST(instants_are_spread_evenly)
{
    unsigned bins[BINS] = {0}, pairs[BINS] = {0};
    const uint64_t period = 997 * MS / 100;
    struct tick_schedule schedule;
    tick_start(&schedule, 0, period, seeds[_i]);
    uint64_t skipped, lowest = period, highest = 0, before = 0;
    for (uint64_t number = 0; number < DRAWS; number++) {
        uint64_t phase = tick_next(&schedule, number * period, &skipped) - number * period;
        bins[phase * BINS / period]++;
        pairs[before * 10 / period * 10 + phase * 10 / period]++;
        lowest = phase < lowest ? phase : lowest;
        highest = phase > highest ? phase : highest;
        before = phase;
    }
    ck_assert_double_lt(chi_square(bins, BINS, (double)DRAWS / BINS), 170); /* five standard deviations */
    ck_assert_double_gt(chi_square(bins, BINS, (double)DRAWS / BINS), 40);  /* too even would not be random */
    ck_assert_double_lt(chi_square(pairs, BINS, (double)DRAWS / BINS), 170);
    ck_assert_uint_lt(lowest, period / 10000);
    ck_assert_uint_gt(highest, period - period / 10000);
}
END_TEST

START_TEST(the_seed_decides)
{
    struct tick_schedule one, same, other;
    uint64_t skipped, differ = 0;
    tick_start(&one, 0, SECOND, 5);
    tick_start(&same, 0, SECOND, 5);
    tick_start(&other, 0, SECOND, 6);
    for (int i = 0; i < 100; i++) {
        uint64_t instant = tick_next(&one, 0, &skipped);
        ck_assert_uint_eq(instant, tick_next(&same, 0, &skipped));
        differ += instant != tick_next(&other, 0, &skipped);
    }
    ck_assert_uint_gt(differ, 90);
}
END_TEST

static const uint64_t random_limits[] = {1, 2, 3, 10, 1000, UINT64_C(1) << 40, UINT64_MAX};

START_TEST(random_numbers_are_below_their_limit)
{
    const uint64_t limit = random_limits[_i];
    uint64_t wrong = 0, low = 0, high = 0;
    struct tick_schedule schedule;
    tick_start(&schedule, 0, SECOND, 3);
    for (int i = 0; i < 10000; i++) {
        uint64_t number = tick_random(&schedule, limit);
        wrong += number >= limit;
        low += number <= limit / 4;
        high += number >= limit - limit / 4 - 1;
    }
    ck_assert_uint_eq(wrong, 0);
    ck_assert_uint_gt(low, 2000);
    ck_assert_uint_gt(high, 2000);
}
END_TEST

/* Wake-ups are late by LATE, each OFTEN-th one by MORE; the expected estimate. */
static const struct {
    int64_t late, more;
    int often;
    uint64_t least, most;
    bool late_is_on_time, more_is_on_time;
} wakes[] = {
    {0, 0, 1000, 0, 500, true, true},
    {2000, 2000, 1000, 1500, 2500, true, true},
    {20000, 20000, 1000, 17000, 23000, true, true},
    {20000, 500000, 10, 15000, 25000, true, false}, /* wake-ups that the scheduler delayed are ignored */
    {20000, 500000, 3, 15000, 25000, true, false},
    {5000, 1000000000, 5, 3500, 7000, true, false},
    {-1000, -1000, 1000, 0, 500, true, true},         /* the two clocks differ slightly */
    {-1000000, -1000000, 1000, 0, 500, false, false}, /* before its deadline, so it belongs to another timer */
    {20000, 1000000, 2, 0, 70000, true, false},
    {1000000, 3000000, 1000, 800000, 1200000, true, false}, /* an emulated machine */
    {1000000, 20000, 8, 20000, 200000, false, true},        /* a real machine on which other threads have priority */
    {INT64_MAX, INT64_MIN, 4, 0, 70000, false, false},
};

START_TEST(wake_ups_on_time_follow_the_table)
{
    struct tick_lateness usual = {0};
    uint64_t wrong = 0;
    for (int i = 0; i < 6000; i++) {
        bool more = i % wakes[_i].often == 0;
        bool on_time = tick_on_time(&usual, more ? wakes[_i].more : wakes[_i].late);
        if (i >= 3000) /* the estimate has converged */
            wrong += on_time != (more ? wakes[_i].more_is_on_time : wakes[_i].late_is_on_time);
    }
    ck_assert_uint_eq(wrong, 0);
    ck_assert_uint_ge(usual.typical_ns, wakes[_i].least);
    ck_assert_uint_le(usual.typical_ns, wakes[_i].most);
}
END_TEST

START_TEST(the_lower_third_is_typical)
{
    struct tick_schedule schedule;
    struct tick_lateness usual = {0};
    uint64_t sum = 0;
    tick_start(&schedule, 0, SECOND, 11);
    for (int i = 0; i < 20000; i++) {
        tick_on_time(&usual, (int64_t)tick_random(&schedule, 30000));
        sum += i >= 10000 ? usual.typical_ns : 0;
    }
    ck_assert_uint_gt(sum / 10000, 8000);
    ck_assert_uint_lt(sum / 10000, 12000);
}
END_TEST

static const struct {
    uint64_t period, asked, paused, running;
    unsigned percent;
    uint64_t least, most; /* of the new period */
} throttles[] = {
    /* no limit */
    {MS, MS, SECOND, SECOND, 0, MS, MS},
    {5 * MS, MS, 0, SECOND, 0, MS, MS},
    {5 * MS, MS, 0, 0, 0, MS, MS},
    /* no thread ran, so the overhead is unknown */
    {5 * MS, MS, 0, 0, 25, 5 * MS, 5 * MS},
    {5 * MS, MS, 100, 0, 25, 5 * MS, 5 * MS},
    /* above the limit: longer, so that the overhead would be slightly below the limit */
    {MS, MS, SECOND / 2, SECOND, 25, 2 * MS, 2500000},
    {MS, MS, SECOND, SECOND, 25, 4 * MS, 5 * MS},
    {MS, MS, 26 * SECOND, 100 * SECOND, 25, 1040000, 1300000},
    {MS, MS, 10 * SECOND, SECOND, 1, SECOND, SECOND}, /* never longer than a second */
    {100 * MS, MS, 10 * SECOND, SECOND, 1, SECOND, SECOND},
    {MS, MS, UINT64_MAX, 1, 1, SECOND, SECOND},
    /* at the limit or slightly below: unchanged */
    {MS, MS, 25 * SECOND, 100 * SECOND, 25, MS, MS},
    {3 * MS, MS, 25 * SECOND, 100 * SECOND, 25, 3 * MS, 3 * MS},
    {3 * MS, MS, 18 * SECOND, 100 * SECOND, 25, 3 * MS, 3 * MS},
    /* far below: shorter, within the limit and the requested rate */
    {8 * MS, MS, 10 * SECOND, 100 * SECOND, 25, 3200000, 7 * MS},
    {8 * MS, MS, 1 * SECOND, 100 * SECOND, 25, MS, 4 * MS},
    {8 * MS, MS, 0, 100 * SECOND, 25, MS, 4 * MS},
    {8 * MS, 7 * MS, 0, 100 * SECOND, 25, 7 * MS, 7 * MS},
    {MS, MS, 0, SECOND, 25, MS, MS},
    {MS, MS, 1, SECOND, 99, MS, MS},
    /* never shorter than requested, even above a second */
    {MS, 2 * MS, SECOND / 2, SECOND, 99, 2 * MS, 2 * MS},
    {3 * SECOND, 3 * SECOND, SECOND, SECOND, 25, 3 * SECOND, 3 * SECOND},
    {3 * SECOND, 3 * SECOND, 0, SECOND, 25, 3 * SECOND, 3 * SECOND},
};

START_TEST(throttle_follows_the_table)
{
    uint64_t period = tick_throttle(throttles[_i].period, throttles[_i].asked, throttles[_i].paused,
                                    throttles[_i].running, throttles[_i].percent);
    ck_assert_uint_ge(period, throttles[_i].least);
    ck_assert_uint_le(period, throttles[_i].most);
}
END_TEST

/* The duration of a stop in nanoseconds, for a thread that always runs. */
static const struct {
    uint64_t pause;
    unsigned percent;
} costs[] = {{1000, 25}, {30000, 25}, {90000, 25}, {900000, 25}, {90000, 1}, {90000, 99}, {20 * MS, 5}};

/* Repeated adjustment converges to slightly below the limit, from both sides. */
START_TEST(the_valve_comes_to_rest)
{
    const uint64_t asked = 100000;
    for (int from_above = 0; from_above < 2; from_above++) {
        uint64_t period = from_above ? SECOND : asked, before = 0, paused = 0;
        for (int window = 0; window < 40; window++) {
            before = period;
            paused = SECOND / period * costs[_i].pause;
            period = tick_throttle(period, asked, paused, SECOND, costs[_i].percent);
        }
        ck_assert_uint_eq(period, before);
        ck_assert_uint_le(paused * 100, SECOND * costs[_i].percent);
        ck_assert(period == asked || paused * 100 * 2 >= SECOND * costs[_i].percent);
    }
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("model/tick");
    UNIT_ADD_TABLE(tests, each_period_has_one_instant, schedules);
    UNIT_ADD_TABLE(tests, missed_ticks_are_skipped_and_counted, lates);
    UNIT_ADD_TABLE(tests, instants_are_spread_evenly, seeds);
    tcase_add_test(tests, the_seed_decides);
    UNIT_ADD_TABLE(tests, random_numbers_are_below_their_limit, random_limits);
    UNIT_ADD_TABLE(tests, wake_ups_on_time_follow_the_table, wakes);
    tcase_add_test(tests, the_lower_third_is_typical);
    UNIT_ADD_TABLE(tests, throttle_follows_the_table, throttles);
    UNIT_ADD_TABLE(tests, the_valve_comes_to_rest, costs);
    return unit_end();
}
