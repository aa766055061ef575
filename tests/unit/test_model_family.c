/* SPDX-License-Identifier: MIT */
#include "common/model/family.h"

#include "unit.h"

/* 1 is the parent of 10 and 20; 10 of 11, which is the parent of 12 and 13. 30 and 31 are each other's parents. The
 * parent of 40 is unknown. */
static struct family_member members[] = {
    {20, 1, 0}, {31, 30, 0}, {13, 11, 0}, {10, 1, 0}, {1, 0, 0}, {12, 11, 0}, {30, 31, 0}, {11, 10, 0}, {40, 39, 0},
};

static struct family family = {members, UNIT_ROWS(members), 0};

static const struct {
    pid_t pid, ancestor;
    bool below;
} pairs[] = {
    {10, 1, true},  {11, 1, true},   {13, 1, true},   {13, 11, true},  {13, 10, true}, {12, 13, false},
    {1, 10, false}, {10, 20, false}, {12, 20, false}, {10, 10, false}, {1, 0, false},  {30, 1, false},
    {30, 31, true}, {31, 31, false}, {40, 39, true},  {40, 1, false},  {99, 1, false}, {12, 99, false},
};

START_TEST(pairs_follow_the_table)
{
    family_sort(&family);
    ck_assert_int_eq(family_is_below(&family, pairs[_i].pid, pairs[_i].ancestor), pairs[_i].below);
}
END_TEST

START_TEST(one_of_several_is_enough)
{
    static const pid_t roots[] = {11, 20, 12};
    family_sort(&family);
    ck_assert(family_is_below_any(&family, 13, roots, 3));
    ck_assert(!family_is_below_any(&family, 12, roots, 3)); /* 12 is itself a root */
    ck_assert(!family_is_below_any(&family, 10, roots, 3));
    ck_assert(!family_is_below_any(&family, 13, roots, 0));
}
END_TEST

START_TEST(an_empty_family_has_no_descendants)
{
    struct family none = {0};
    family_sort(&none);
    ck_assert(!family_is_below(&none, 2, 1));
    family_fini(&none);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("model/family");
    UNIT_ADD_TABLE(tests, pairs_follow_the_table, pairs);
    tcase_add_test(tests, one_of_several_is_enough);
    tcase_add_test(tests, an_empty_family_has_no_descendants);
    return unit_end();
}
