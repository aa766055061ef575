/* SPDX-License-Identifier: MIT */
#include "common/base/cpus.h"

#include "unit.h"

#include <errno.h>

static const struct {
    const char *text;
    bool is_list;
    int count, first;
} lists[] = {
    {"", true, 0, -1},
    {"\n", true, 0, -1},
    {"0", true, 1, 0},
    {"7\n", true, 1, 7},
    {"0-3,7", true, 5, 0},
    {"2-2", true, 1, 2},
    {"5,1", true, 2, 1},
    {"1023", true, 1, 1023},
    {"1024", false, 0, 0},
    {"0-1024", false, 0, 0},
    {"99999999999999999999", false, 0, 0},
    {"(null)\n", false, 0, 0},
    {"3-1", false, 0, 0},
    {"1-", false, 0, 0},
    {"-1", false, 0, 0},
    {"1,", false, 0, 0},
    {"1 2", false, 0, 0},
};

START_TEST(lists_follow_the_table)
{
    cpu_set_t cpus;
    int first = -1;
    ck_assert_int_eq(cpus_parse(lists[_i].text, &cpus), lists[_i].is_list);
    if (!lists[_i].is_list)
        return;
    ck_assert_int_eq(CPU_COUNT(&cpus), lists[_i].count);
    for (int cpu = CPU_SETSIZE - 1; cpu >= 0; cpu--)
        if (CPU_ISSET((size_t)cpu, &cpus))
            first = cpu;
    ck_assert_int_eq(first, lists[_i].first);
}
END_TEST

static int usable(cpu_set_t *cpus)
{
    ck_assert_int_eq(sched_getaffinity(0, sizeof *cpus, cpus), 0);
    return CPU_COUNT(cpus);
}

/* A test that is bound to one CPU can have all its previous CPUs again. It then asks for the first one. */
START_TEST(a_bound_thread_is_unbound)
{
    cpu_set_t all, one;
    int count = usable(&all), first = 0;
    while (!CPU_ISSET((size_t)first, &all))
        first++;
    CPU_ZERO(&one);
    CPU_SET((size_t)first, &one);
    ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
    ck_assert_int_eq(cpus_widen(CPUS_INHERIT), 0);
    ck_assert_int_eq(usable(&one), 1);
    ck_assert_int_eq(cpus_widen("1023"), -EINVAL);
    ck_assert_int_eq(cpus_widen("none"), -EINVAL);
    ck_assert_int_eq(cpus_check("1023"), -EINVAL);
    ck_assert_int_eq(cpus_check("0-1022"), 0);
    ck_assert_int_eq(cpus_check(CPUS_INHERIT), 0);
    ck_assert_int_eq(cpus_check(NULL), 0);
    ck_assert_int_eq(usable(&one), 1);
    ck_assert_int_eq(cpus_widen(NULL), 0);
    ck_assert_int_ge(usable(&one), count);
    ck_assert_int_eq(cpus_widen("0-1022"), 0);
    ck_assert_int_ge(usable(&one), count);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("base/cpus");
    UNIT_ADD_TABLE(tests, lists_follow_the_table, lists);
    tcase_add_test(tests, a_bound_thread_is_unbound);
    return unit_end();
}
