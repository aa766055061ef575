/* SPDX-License-Identifier: MIT */
#include "common/model/wait.h"
#include "profile/profile/profile.h"

#include "unit.h"

#include <stdio.h>
#include <string.h>

static const struct {
    int32_t number;
    const char *name;
} known[] = {
    {-1, NULL},
    {INT32_MIN, NULL},
    {0, "read"},
    {1, "write"},
    {61, "wait4"},
    {202, "futex"},
    {232, "epoll_wait"},
    {334, "rseq"},
    {336, NULL},
    {423, NULL},
    {424, "pidfd_send_signal"},
    {462, "mseal"},
    {500, NULL},
    {INT32_MAX, NULL},
};

START_TEST(names_follow_the_table)
{
    const char *name = profile_syscall_name(known[_i].number);
    ck_assert_pstr_eq(name, known[_i].name);
    if (name)
        ck_assert_int_eq(profile_syscall_number(name), known[_i].number);
}
END_TEST

/* The table must agree with this machine's headers, which may be older. */
START_TEST(names_agree_with_the_headers)
{
    FILE *header = fopen("/usr/include/x86_64-linux-gnu/asm/unistd_64.h", "r");
    char line[256], name[128];
    int number, compared = 0;
    if (!header)
        header = fopen("/usr/include/asm/unistd_64.h", "r");
    if (!header)
        return;
    while (fgets(line, sizeof line, header))
        if (sscanf(line, "#define __NR_%127s %d", name, &number) == 2 && profile_syscall_name(number)) {
            ck_assert_str_eq(profile_syscall_name(number), name);
            compared++;
        }
    fclose(header);
    ck_assert_int_gt(compared, 300);
}
END_TEST

START_TEST(places_to_wait_have_names)
{
    ck_assert_str_eq(profile_syscall_name(WAIT_FOR_CPU), "runnable");
    for (int32_t place = WAIT_FIRST; place <= WAIT_IDLE; place++)
        ck_assert_int_eq(profile_syscall_number(profile_syscall_name(place)), place);
    ck_assert_ptr_null(profile_syscall_name(WAIT_FIRST - 1));
    ck_assert_ptr_null(profile_syscall_name(WAIT_IDLE + 1));
}
END_TEST

START_TEST(other_names_have_no_number)
{
    ck_assert_int_eq(profile_syscall_number(""), -1);
    ck_assert_int_eq(profile_syscall_number("[read]"), -1);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("profile/syscalls");
    UNIT_ADD_TABLE(tests, names_follow_the_table, known);
    tcase_add_test(tests, names_agree_with_the_headers);
    tcase_add_test(tests, places_to_wait_have_names);
    tcase_add_test(tests, other_names_have_no_number);
    return unit_end();
}
