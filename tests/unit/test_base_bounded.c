/* SPDX-License-Identifier: MIT */
#include "common/base/bounded.h"

#include "common/base/child.h"
#include "unit.h"

static void count(void *argument)
{
    ++*(int *)argument;
}

static void never_end(void *argument)
{
    ++*(int *)argument;
    for (;;)
        __asm__ volatile("" ::: "memory");
}

START_TEST(a_work_is_done_to_its_end)
{
    int times = 0;
    for (int i = 1; i <= 1000; i++) {
        ck_assert(bounded_run(count, &times));
        ck_assert_int_eq(times, i);
    }
}
END_TEST

START_TEST(one_that_does_not_end_is_left)
{
    int begun = 0, times = 0;
    for (int i = 1; i <= 2; i++) {
        ck_assert(!bounded_run(never_end, &begun));
        ck_assert_int_eq(begun, i);
        ck_assert(bounded_run(count, &times));
        ck_assert_int_eq(times, i);
    }
}
END_TEST

START_TEST(after_many_timeouts_work_is_refused)
{
    int begun = 0;
    for (int i = 0; i < 10000; i++)
        ck_assert(!bounded_run(never_end, &begun));
    ck_assert_int_lt(begun, 100);
}
END_TEST

/* Uses a megabyte of stack a call. */
static size_t recurse(size_t depth)
{
    volatile char room[1 << 20];
    room[0] = (char)depth;
    return depth ? recurse(depth - 1) + (size_t)(room[0] == (char)depth) : 0;
}

static void recurse_deeply(void *argument)
{
    *(size_t *)argument = recurse(50);
}

START_TEST(deep_work_has_a_stack_of_its_own)
{
    size_t depth = 0;
    int begun = 0, times = 0;
    ck_assert(bounded_run_deep(recurse_deeply, &depth, (size_t)64 << 20));
    ck_assert_uint_eq(depth, 50);
    ck_assert(!bounded_run_deep(never_end, &begun, 1 << 20));
    ck_assert_int_eq(begun, 1);
    ck_assert(bounded_run(count, &times) && bounded_run_deep(count, &times, 1 << 20) && bounded_run(count, &times));
    ck_assert_int_eq(times, 3);
    ck_assert(!bounded_run_deep(count, &times, SIZE_MAX / 2));
}
END_TEST

static int in_child(void *argument)
{
    return !bounded_run(never_end, argument) && bounded_run(count, argument) ? 0 : 1;
}

/* A child inherits no timers of its parent, and has every signal blocked. */
START_TEST(limits_hold_in_a_child)
{
    struct child child;
    int times = 0;
    ck_assert(bounded_run(count, &times));
    ck_assert_int_eq(child_start(&child, "bounded", in_child, &times), 0);
    ck_assert_int_eq(child_wait(&child), 0);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("base/bounded");
    tcase_add_test(tests, a_work_is_done_to_its_end);
    tcase_add_test(tests, one_that_does_not_end_is_left);
    tcase_add_test(tests, after_many_timeouts_work_is_refused);
    tcase_add_test(tests, limits_hold_in_a_child);
    tcase_add_test(tests, deep_work_has_a_stack_of_its_own);
    return unit_end();
}
