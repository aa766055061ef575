/* SPDX-License-Identifier: MIT */
#include "common/model/lead.h"

#include "unit.h"

enum { US = 1000 };

static void learn(struct lead *lead, uint64_t late_ns, int times)
{
    for (int i = 0; i < times; i++)
        lead_learn(lead, late_ns);
}

START_TEST(a_punctual_cpu_needs_one_wake_up)
{
    struct lead lead = {0};
    ck_assert_uint_eq(lead_ns(&lead), 0);
    learn(&lead, 12 * US, 1000);
    ck_assert_uint_eq(lead_ns(&lead), 0);
}
END_TEST

/* Three of four wake-ups are late by 180 us, as on a virtual machine. */
START_TEST(most_late_wake_ups_are_covered)
{
    struct lead lead = {0};
    for (int i = 0; i < 50; i++) {
        learn(&lead, 180 * US, 3);
        learn(&lead, 5 * US, 1);
    }
    ck_assert_uint_ge(lead_ns(&lead), 170 * US);
    ck_assert_uint_le(lead_ns(&lead), 180 * US);
}
END_TEST

START_TEST(a_rare_late_wake_up_counts_little)
{
    struct lead lead = {0};
    for (int i = 0; i < 200; i++) {
        learn(&lead, 10 * US, 99);
        learn(&lead, 300 * US, 1);
    }
    learn(&lead, 10 * US, 99);
    ck_assert_uint_lt(lead_ns(&lead), 60 * US);
}
END_TEST

START_TEST(it_becomes_short_again)
{
    struct lead lead = {0};
    learn(&lead, 200 * US, 50);
    ck_assert_uint_ge(lead_ns(&lead), 190 * US);
    learn(&lead, 5 * US, 400);
    ck_assert_uint_eq(lead_ns(&lead), 0);
}
END_TEST

/* Delays of the scheduler would also delay the second wake-up. */
START_TEST(competition_is_not_idleness)
{
    struct lead lead = {0};
    learn(&lead, 3000 * US, 100);
    ck_assert_uint_eq(lead_ns(&lead), 0);
    for (int i = 0; i < 100; i++) {
        learn(&lead, 500 * US, 1);
        lead_judge(&lead, 500 * US);
    }
    ck_assert_uint_le(lead_ns(&lead), 100 * US);
}
END_TEST

START_TEST(it_is_limited)
{
    struct lead lead = {0};
    learn(&lead, 999 * US, 100);
    ck_assert_uint_eq(lead_ns(&lead), 400 * US);
    lead_judge(&lead, 10 * US);
    ck_assert_uint_eq(lead_ns(&lead), 400 * US);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("model/lead");
    tcase_add_test(tests, a_punctual_cpu_needs_one_wake_up);
    tcase_add_test(tests, most_late_wake_ups_are_covered);
    tcase_add_test(tests, a_rare_late_wake_up_counts_little);
    tcase_add_test(tests, it_becomes_short_again);
    tcase_add_test(tests, competition_is_not_idleness);
    tcase_add_test(tests, it_is_limited);
    return unit_end();
}
