/* SPDX-License-Identifier: MIT */
#include "common/semantics/due.h"

#include "unit.h"

#include "common/semantics/histogram.h"

#include <stdbool.h>

#define US ((uint64_t)1000)
#define MS (1000 * US)
#define SECOND (1000 * MS)

/* The plan for tick number BILLED + 1, after the process RAN for some time in the PASSED time since the last plan
 * (PASSED 0: there was none). The next look comes LEAST to MOST later. */
static const struct {
    unsigned hz;
    uint64_t clock, billed, ran, passed, least, most;
} plans[] = {
    /* no information: assumes that it runs alone */
    {100, 0, 0, 0, 0, 10 * MS, 10200 * US},
    {100, 4 * MS, 0, 0, 0, 6 * MS, 6200 * US},
    {1000, 4250 * US, 4, 0, 0, 750 * US, 770 * US},
    {100, 7 * SECOND + 1 * MS, 700, 0, 0, 9 * MS, 9200 * US},
    {1, 250 * MS, 0, 0, 0, 750 * MS, 770 * MS},
    {3, 100 * MS, 0, 0, 0, 233333333, 240 * MS}, /* the period is not a whole number */
    /* it ran alone */
    {100, 14 * MS, 1, 4 * MS, 4 * MS, 6 * MS, 6200 * US},
    /* on two CPUs, and on 64 */
    {100, 14 * MS, 1, 4 * MS, 2 * MS, 3 * MS, 3100 * US},
    {100, 7010 * MS, 701, 6400 * MS, 100 * MS, 100 * US, 500 * US},
    {1000, 90 * MS, 90, 64 * MS, 1 * MS, 10 * US, 50 * US},
    /* slightly less than one CPU: slightly longer */
    {100, 10 * MS, 1, 10 * MS, 10200 * US, 10200 * US, 10400 * US},
    /* it hardly ran: it may soon run alone, and must not be seen late then */
    {100, 14 * MS, 1, 100 * US, 10 * MS, 6 * MS, 7 * MS},
    {100, 14 * MS, 1, 0, 10 * MS, 6 * MS, 7 * MS},
    {100, 19999 * US, 1, 0, 10 * MS, 100 * US, 1 * MS},
    {1000, 19999 * US, 19, 0, 10 * MS, 10 * US, 100 * US},
    /* a debt: another look soon, but not immediately */
    {100, 20 * MS, 1, 10 * MS, 10 * MS, 300 * US, 1 * MS},
    {100, 90 * MS, 1, 10 * MS, 10 * MS, 300 * US, 1 * MS},
    {100, 90 * MS, 1, 0, 0, 300 * US, 1 * MS},
    {10000, 90 * MS, 1, 0, 0, 3 * US, 10 * US},
    /* the clock can no longer be read */
    {100, 0, 5, 0, 10 * MS, 60 * MS, 61 * MS},
};

START_TEST(a_plan_follows_the_table)
{
    const uint64_t now = 5 * SECOND;
    struct due due = {0};
    if (plans[_i].passed)
        due = (struct due){.clock_ns = plans[_i].clock - plans[_i].ran, .time_ns = now - plans[_i].passed};
    due_plan(&due, plans[_i].clock, plans[_i].billed, plans[_i].hz, now);
    ck_assert_uint_ge(due.look_ns, now + plans[_i].least);
    ck_assert_uint_le(due.look_ns, now + plans[_i].most);
    ck_assert_uint_eq(due.clock_ns, plans[_i].clock);
    ck_assert_uint_eq(due.time_ns, now);
}
END_TEST

/* A process that gets PERCENT of a CPU, in slices of SLICE; from 100 on: all the time of several CPUs. LATEST is how
 * late its ticks may be seen, in percent of the period. Then the number of looks for each tick. */
static const struct {
    unsigned hz;
    uint64_t percent, slice, latest;
    double looks;
} paces[] = {
    {100, 100, MS, 10, 1.1},      {1000, 100, MS, 10, 1.1},    {100, 99, 20 * MS, 10, 2}, {1000, 97, MS, 10, 2.2},
    {100, 90, 500 * US, 10, 2.5}, {100, 50, 4 * MS, 10, 6},    {1000, 50, 4 * MS, 10, 6}, {100, 10, 4 * MS, 10, 40},
    {100, 7, 3 * MS, 10, 60},     {100, 3, 300 * US, 10, 130}, {1000, 7, 3 * MS, 10, 60}, {100, 200, MS, 10, 1.2},
    {1000, 200, MS, 10, 1.2},     {100, 800, MS, 40, 1.2},     {10000, 100, MS, 10, 1.2}, {250, 100, MS, 10, 1.1},
    {1, 100, MS, 10, 1.1},
};

/* Returns the CPU time at monotonic time NOW. */
static uint64_t clock_at(uint64_t now, uint64_t percent, uint64_t slice)
{
    if (percent >= 100)
        return now / 100 * percent;
    uint64_t cycle = slice * 100 / percent, part = now % cycle;
    return now / cycle * slice + (part < slice ? part : slice);
}

/* Only the first look assumes a single CPU. */
START_TEST(ticks_are_seen_in_time)
{
    const uint64_t percent = paces[_i].percent, slice = paces[_i].slice, period = SECOND / paces[_i].hz;
    struct due due = {0};
    uint64_t now = 12345678, billed = histogram_ticks(clock_at(now, percent, slice), paces[_i].hz), begun = billed,
             looks = 0, latest = 0, merged = 0;
    for (; billed < begun + 1000; looks++) {
        due_plan(&due, clock_at(now, percent, slice), billed, paces[_i].hz, now);
        ck_assert_uint_gt(due.look_ns, now);
        now = due.look_ns;
        uint64_t clock = clock_at(now, percent, slice), ticks = histogram_ticks(clock, paces[_i].hz);
        uint64_t late = looks && ticks > billed ? clock - ticks * SECOND / paces[_i].hz : 0;
        latest = late > latest ? late : latest;
        merged += looks && ticks > billed + 1;
        billed = ticks;
    }
    ck_assert_uint_le(latest, period / 100 * paces[_i].latest);
    ck_assert_uint_eq(merged, 0);
    ck_assert_double_le((double)looks, paces[_i].looks * (double)(billed - begun));
}
END_TEST

/* A process that slept or waited for a CPU suddenly runs alone, at any time between two looks. */
START_TEST(a_process_that_starts_is_seen_in_time)
{
    const uint64_t period = 10 * MS;
    for (uint64_t slept = 0; slept < 300 * MS; slept += 37 * US) {
        struct due due = {0};
        uint64_t now = SECOND, started = now + slept, before = 3 * MS + slept * 11 % (7 * MS), clock = before;
        int looks = 0;
        for (; clock < period; looks++) {
            ck_assert_int_lt(looks, 1000);
            due_plan(&due, clock, 0, 100, now);
            now = due.look_ns;
            clock = before + (now > started ? now - started : 0);
        }
        ck_assert_uint_le(clock, period + period / 10);
    }
}
END_TEST

/* If a debt cannot be billed because its process sleeps, looks become rarer. */
START_TEST(a_debt_can_wait)
{
    struct due due = {0};
    uint64_t now = SECOND;
    int looks = 0;
    for (; now < 2 * SECOND; looks++) {
        due_plan(&due, 25 * MS, 1, 100, now);
        ck_assert_uint_gt(due.look_ns, now);
        ck_assert_uint_le(due.look_ns, now + 5 * MS);
        now = due.look_ns;
    }
    ck_assert_int_lt(looks, 700);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("semantics/due");
    UNIT_ADD_TABLE(tests, a_plan_follows_the_table, plans);
    UNIT_ADD_TABLE(tests, ticks_are_seen_in_time, paces);
    tcase_add_test(tests, a_process_that_starts_is_seen_in_time);
    tcase_add_test(tests, a_debt_can_wait);
    return unit_end();
}
