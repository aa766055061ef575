/* SPDX-License-Identifier: MIT */
#include "test_report.h"

static char *folded(const struct profile *profile)
{
    return written(report_folded_write, profile, REPORT_OPTIONS_FULL);
}

START_TEST(stacks_are_lines_with_their_time)
{
    struct profile *profile = make_profile("prog");
    uint32_t process = make_process(profile, 7, 0, "prog");
    uint32_t thread = make_thread(profile, process, 7, "prog"), helper = make_thread(profile, process, 8, "helper");
    uint32_t module = make_module(profile, "/bin/prog", 0, 100);
    uint32_t main = make_frame(profile, module, "main", 1), work = make_frame(profile, module, "work", 2);
    uint32_t again = make_frame(profile, module, "work", 3);
    ADD_STACK(profile, thread, -1, 3, 30000000, work, main);
    ADD_STACK(profile, thread, 0, 1, 10000000, work, main);
    ADD_STACK(profile, helper, -1, 1, 9000000, again, main);
    ADD_STACK(profile, thread, 500, 1, 1000, main);
    add_unsampled(profile, process, 2000000);
    char *text = folded(profile);
    ck_assert_str_eq(text, "prog;[unsampled] 2000\n"
                           "prog;main;[syscall_500] 1\n"
                           "prog;main;work 39000\n"
                           "prog;main;work;[read] 10000\n");
    free(text);
    profile_free(profile);
}
END_TEST

static const struct {
    const char *comm, *name, *line;
} names[] = {
    {"prog", "f", "prog;f 5\n"},
    {"a;b", "c;d", "a:b;c:d 5\n"},
    {"prog", "new\nline\t\x7f\033[m", "prog;new\\nline\\t\\x7f\\x1b[m 5\n"},
    {"prog", "f 12", "prog;f_12 5\n"},
    {"prog", "f  1.5", "prog;f__1.5 5\n"},
    {"prog", "f(int, 3) 4x", "prog;f(int, 3) 4x 5\n"},
    {"prog", "12", "prog;12 5\n"},
    {"prog", "f ", "prog;f  5\n"},
    {"", "", "[unnamed];[unnamed] 5\n"},
    {"prog", "\xff", "prog;\\xff 5\n"},
    {"prog", "na\xc3\xafve", "prog;na\xc3\xafve 5\n"},
};

START_TEST(names_do_not_break_lines)
{
    struct profile *profile = make_profile(NULL);
    uint32_t thread = make_thread(profile, make_process(profile, 1, 0, names[_i].comm), 1, "t");
    uint32_t module = make_module(profile, "/bin/prog", 0, 100);
    ADD_STACK(profile, thread, -1, 1, 5000, make_frame(profile, module, names[_i].name, 1));
    char *text = folded(profile);
    ck_assert_str_eq(text, names[_i].line);
    free(text);
    profile_free(profile);
}
END_TEST

/* Rounding errors of times must not accumulate. */
static const uint64_t times[] = {1, 499, 500, 501, 999, 1499, 10000333, 9999999};

START_TEST(weights_add_up_to_the_cpu_time)
{
    struct profile *profile = make_profile(NULL);
    uint32_t process = make_process(profile, 1, 0, "prog");
    uint32_t thread = make_thread(profile, process, 1, "t");
    uint32_t module = make_module(profile, "/bin/prog", 0, 100);
    for (unsigned i = 0; i < 1000; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%u", i);
        ADD_STACK(profile, thread, -1, 1, times[_i], make_frame(profile, module, name, i));
    }
    add_unsampled(profile, process, times[_i]);
    char *text = folded(profile);
    uint64_t sum = 0, nothing = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        uint64_t weight = strtoull(strrchr(line, ' '), NULL, 10);
        nothing += !weight;
        sum += weight;
    }
    ck_assert_uint_eq(sum, (profile_cpu_ns(profile) + 500) / 1000);
    ck_assert_uint_eq(nothing, 0);
    free(text);
    profile_free(profile);
}
END_TEST

START_TEST(nothing_is_an_empty_file)
{
    struct profile *profile = make_profile(NULL);
    char *text = folded(profile);
    ck_assert_str_eq(text, "");
    free(text);
    profile_free(profile);
}
END_TEST

START_TEST(a_full_disk_is_reported)
{
    expect_full_disk_told(report_folded_write);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("report/folded");
    tcase_add_test(tests, stacks_are_lines_with_their_time);
    UNIT_ADD_TABLE(tests, names_do_not_break_lines, names);
    UNIT_ADD_TABLE(tests, weights_add_up_to_the_cpu_time, times);
    tcase_add_test(tests, nothing_is_an_empty_file);
    tcase_add_test(tests, a_full_disk_is_reported);
    return unit_end();
}
