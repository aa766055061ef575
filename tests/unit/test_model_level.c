/* SPDX-License-Identifier: MIT */
#include "common/model/level.h"

#include "unit.h"

#define MS UINT64_C(1000000)
#define PERIOD (10 * MS)

enum { MOST = 64 };

/* The final weight of each sample, by number. */
struct outcome {
    uint64_t ns[MOST];
    uint32_t count;
};

static void take_parts(struct outcome *outcome, const struct level_part *parts, size_t count)
{
    ck_assert_uint_le(count, LEVEL_PAST);
    for (size_t i = 0; i < count; i++) {
        ck_assert_uint_lt(parts[i].sample, outcome->count);
        ck_assert_uint_gt(parts[i].ns, 0);
        outcome->ns[parts[i].sample] += parts[i].ns;
    }
}

static void add(struct level *level, struct outcome *outcome, uint64_t weight_ns, uint64_t own_ns, uint64_t time_ns)
{
    struct level_part parts[LEVEL_PAST];
    size_t count;
    uint64_t given_ns = level_sample(level, weight_ns, own_ns, PERIOD, time_ns, parts, &count);
    take_parts(outcome, parts, count);
    outcome->ns[outcome->count] = own_ns + given_ns;
    level_given(level, outcome->count++, time_ns, own_ns + given_ns);
}

static void end(struct level *level, struct outcome *outcome)
{
    struct level_part parts[LEVEL_PAST];
    take_parts(outcome, parts, level_end(level, parts));
}

/* The weights of new samples in milliseconds, up to a 0; the smallest and largest weight after levelling. */
static const struct {
    unsigned ms[MOST], least, most;
} runs[] = {
    {{7}, 7, 7},
    {{61}, 61, 61},
    {{10, 10, 10, 10}, 10, 10},
    {{10, 10, 10, 10, 10, 10, 10, 10, 61, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10}, 10, 17}, /* six samples were
                                                                                                 * missed */
    {{61, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10}, 10, 23},
    {{10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 61}, 10, 22},
    {{19, 1, 19, 1, 19, 1, 19, 1}, 1, 13}, /* random times */
    {{5, 2, 30, 3, 1, 25, 4, 9, 12, 1, 2, 20}, 1, 16},
    {{50, 50, 50, 50, 50, 50, 50, 50, 50, 50}, 34, 66}, /* one of five is taken */
    {{80, 80}, 70, 90},
};

START_TEST(neighbours_get_about_the_same)
{
    struct level level = {.count = 0};
    struct outcome outcome = {.count = 0};
    uint64_t time_ns = 1000 * MS, came_ns = 0, given_ns = 0;
    for (size_t i = 0; runs[_i].ms[i]; i++) {
        time_ns += runs[_i].ms[i] * MS;
        came_ns += runs[_i].ms[i] * MS;
        add(&level, &outcome, runs[_i].ms[i] * MS, 0, time_ns);
    }
    end(&level, &outcome);
    for (uint32_t i = 0; i < outcome.count; i++) {
        given_ns += outcome.ns[i];
        ck_assert_uint_ge(outcome.ns[i], runs[_i].least * MS);
        ck_assert_uint_le(outcome.ns[i], runs[_i].most * MS);
    }
    ck_assert_uint_eq(given_ns, came_ns);
    ck_assert_uint_eq(level.pool_ns, 0);
}
END_TEST

/* The time of a call that could not be interrupted stays with it. */
START_TEST(time_of_a_call_stays)
{
    struct level level = {.count = 0};
    struct outcome outcome = {.count = 0};
    for (unsigned i = 0; i < 8; i++)
        add(&level, &outcome, PERIOD, 0, (i + 1) * PERIOD);
    add(&level, &outcome, 61 * MS, 61 * MS, 200 * MS);
    add(&level, &outcome, PERIOD, 0, 210 * MS);
    end(&level, &outcome);
    ck_assert_uint_eq(outcome.ns[8], 61 * MS);
    ck_assert_uint_eq(outcome.ns[7], PERIOD);
    ck_assert_uint_eq(outcome.ns[9], PERIOD);
}
END_TEST

/* Samples a minute apart exchange no time. */
START_TEST(distant_samples_are_not_neighbours)
{
    struct level level = {.count = 0};
    struct outcome outcome = {.count = 0};
    add(&level, &outcome, 45 * MS, 0, 100 * MS);
    add(&level, &outcome, 5 * MS, 0, 105 * MS);
    add(&level, &outcome, 30 * MS, 0, 60000 * MS);
    add(&level, &outcome, 2 * MS, 0, 60002 * MS);
    end(&level, &outcome);
    ck_assert_uint_eq(outcome.ns[0] + outcome.ns[1], 50 * MS);
    ck_assert_uint_eq(outcome.ns[2] + outcome.ns[3], 32 * MS);
}
END_TEST

/* With any order of times, and any numbers. */
START_TEST(nothing_overflows)
{
    struct level level = {.count = 0};
    struct outcome outcome = {.count = 0};
    uint64_t all_ns = 0;
    const uint64_t huge = INT64_MAX / 4;
    add(&level, &outcome, huge, 0, UINT64_MAX);
    add(&level, &outcome, 1, 1, 0);
    add(&level, &outcome, huge, huge / 2, 1);
    add(&level, &outcome, 0, 0, UINT64_MAX);
    end(&level, &outcome);
    for (uint32_t i = 0; i < outcome.count; i++)
        all_ns += outcome.ns[i];
    ck_assert_uint_eq(all_ns, 2 * huge + 1);
}
END_TEST

START_TEST(a_late_call_is_its_own)
{
    ck_assert_uint_eq(level_own(true, 0), 0);
    ck_assert_uint_eq(level_own(true, 100000), 0);
    ck_assert_uint_eq(level_own(false, 5 * MS), 0);
    ck_assert_uint_ge(level_own(true, 5 * MS), 5 * MS);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("model/level");
    UNIT_ADD_TABLE(tests, neighbours_get_about_the_same, runs);
    tcase_add_test(tests, time_of_a_call_stays);
    tcase_add_test(tests, distant_samples_are_not_neighbours);
    tcase_add_test(tests, nothing_overflows);
    tcase_add_test(tests, a_late_call_is_its_own);
    return unit_end();
}
