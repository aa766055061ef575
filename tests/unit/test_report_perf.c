/* SPDX-License-Identifier: MIT */
#include "test_report.h"

static struct profile *make_small(void)
{
    struct profile *profile = make_profile("prog");
    uint32_t process = make_process(profile, 7, 1, "prog");
    uint32_t thread = make_thread(profile, process, 9, "V8 Worker 12"), rest = make_thread(profile, process, 0, "t");
    uint32_t module = make_module(profile, "/opt/a b/prog", 0x1000, 0x2000);
    uint32_t main = make_frame(profile, module, "main", 0x1100), f = make_frame(profile, module, "f(int)", 0x1203);
    uint32_t inner = make_frame(profile, module, "inner", 0x1203);
    profile->functions[profile->locations[f].function].start = 0x1200;
    add_line(profile, f, inner, "a.c", 3);
    add_line(profile, f, f, "a.c", 12);
    ADD_STACK(profile, thread, -1, 3, 11, f, main);
    ADD_STACK(profile, thread, 0, 1, 2000000000, main);
    profile->samples[1].cut = PROFILE_TRUNCATED;
    ADD_STACK(profile, rest, WAIT_OUTSIDE, 0, 5, main);
    add_unsampled(profile, process, 2);
    return profile;
}

START_TEST(samples_are_events)
{
    struct profile *profile = make_small();
    char *text = written(report_perf_write, profile, REPORT_OPTIONS_FULL);
#define F "\t            1203 inner (inlined)\n\t            1203 f(int)+0x3 (/opt/a_b/prog)\n"
#define MAIN "\t            1100 main (/opt/a_b/prog)\n"
    ck_assert_str_eq(text, "V8 Worker_12 7/9 0.000000004:          4 cpu-clock: \n" F MAIN "\n"
                           "V8 Worker_12 7/9 0.000000008:          4 cpu-clock: \n" F MAIN "\n"
                           "V8 Worker_12 7/9 0.000000011:          3 cpu-clock: \n" F MAIN "\n"
                           "V8 Worker_12 7/9 2.000000011: 2000000000 cpu-clock: \n"
                           "\t               0 [read] ([kernel.kallsyms])\n" MAIN
                           "\t               0 [truncated] ([unknown])\n\n"
                           "t 7/0 2.000000016:          5 cpu-clock: \n"
                           "\t               0 [page fault] ([kernel.kallsyms])\n" MAIN "\n"
                           "prog 7/0 2.000000018:          2 cpu-clock: \n\t               0 [unsampled] ([unknown])\n\n");
    free(text);
    profile_free(profile);
}
END_TEST

/* What is read of it is the same: all but how many images a process had, and where lines are. */
static void expect_same(struct profile *profile)
{
    struct output output = {0};
    output.bytes = written(report_perf_write, profile, REPORT_OPTIONS_FULL);
    output.size = strlen(output.bytes);
    struct profile *again = stored_profile(&output);
    ck_assert_uint_eq(profile_ns(again), profile_ns(profile));
    ck_assert_int_eq(again->quality.wall, profile->quality.wall);
    char *before = written(report_folded_write, profile, REPORT_OPTIONS_FULL);
    char *after = written(report_folded_write, again, REPORT_OPTIONS_FULL);
    ck_assert_str_eq(after, before);
    free(before);
    free(after);
    free(output.bytes);
    profile_free(again);
    profile_free(profile);
}

START_TEST(it_can_be_read_again)
{
    expect_same(make_example());
    expect_same(make_waiting_example());
}
END_TEST

/* A stranger's profile may claim any number of samples. */
START_TEST(very_many_samples_are_one_event)
{
    struct profile *profile = make_small();
    profile->samples[0].count = UINT64_MAX;
    char *text = written(report_perf_write, profile, REPORT_OPTIONS_FULL);
    ck_assert_ptr_nonnull(strstr(text, "V8 Worker_12 7/9 0.000000011:         11 cpu-clock: \n"));
    free(text);
    profile_free(profile);
}
END_TEST

START_TEST(a_full_disk_is_told)
{
    expect_full_disk_told(report_perf_write);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("report/perf");
    tcase_add_test(tests, samples_are_events);
    tcase_add_test(tests, it_can_be_read_again);
    tcase_add_test(tests, very_many_samples_are_one_event);
    tcase_add_test(tests, a_full_disk_is_told);
    return unit_end();
}
