/* SPDX-License-Identifier: MIT */
#include "programs/files/shares.h"

#include "unit.h"

#include <stdio.h>

static const struct share most = {.in_vain = 4, .bytes = 100, .spent_ns = 30};

static const struct {
    struct share each;
    int fits; /* how often it can be used */
} uses[] = {
    {{.in_vain = 1}, 4},
    {{.bytes = 30}, 4},
    {{.bytes = 100}, 1},
    {{.spent_ns = 1}, 30},
    {{.in_vain = 1, .bytes = 99, .spent_ns = 29}, 2},
};

START_TEST(one_program_leaves_the_others_theirs)
{
    struct shares shares = {0};
    int fit = 0;
    for (; !shares_are_over(&shares, "greedy", &most); fit++)
        shares_use(&shares, "greedy", &uses[_i].each);
    ck_assert_int_eq(fit, uses[_i].fits);
    ck_assert(!shares_are_over(&shares, "modest", &most));
    shares_use(&shares, "modest", &uses[_i].each);
    ck_assert(shares_are_over(&shares, "greedy", &most));
}
END_TEST

START_TEST(many_programs_have_a_common_limit)
{
    struct shares shares = {0};
    char name[16];
    int count = 0;
    for (;; count++) {
        snprintf(name, sizeof name, "%d", count);
        if (shares_are_over(&shares, name, &most))
            break;
        shares_use(&shares, name, &(struct share){.in_vain = 4});
    }
    ck_assert_int_eq(count, SHARES_SUM);
}
END_TEST

START_TEST(programs_beyond_the_table_share_an_entry)
{
    struct shares shares = {0};
    char name[16];
    for (int i = 0; i < SHARES_PROGRAMS + 3; i++) {
        snprintf(name, sizeof name, "%d", i);
        shares_use(&shares, name, &(struct share){.spent_ns = 1});
    }
    ck_assert_uint_eq(shares.count, SHARES_PROGRAMS);
    ck_assert_uint_eq(shares.items[0].used.spent_ns, 1);
    ck_assert_uint_eq(shares.items[SHARES_PROGRAMS - 1].used.spent_ns, 4);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("files/shares");
    UNIT_ADD_TABLE(tests, one_program_leaves_the_others_theirs, uses);
    tcase_add_test(tests, many_programs_have_a_common_limit);
    tcase_add_test(tests, programs_beyond_the_table_share_an_entry);
    return unit_end();
}
