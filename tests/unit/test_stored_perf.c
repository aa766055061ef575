/* SPDX-License-Identifier: MIT */
#include "profile/stored/writers.h"
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
    char *text = written(stored_perf_write, profile, REPORT_OPTIONS_FULL);
#define F "\t            1203 inner (inlined)\n\t            1203 f(int)+0x3 (/opt/a_b/prog)\n"
#define MAIN "\t            1100 main (/opt/a_b/prog)\n"
    ck_assert_str_eq(
        text, "V8 Worker_12 7/9 0.000000004:          4 cpu-clock: \n" F MAIN "\n"
              "V8 Worker_12 7/9 0.000000008:          4 cpu-clock: \n" F MAIN "\n"
              "V8 Worker_12 7/9 0.000000011:          3 cpu-clock: \n" F MAIN "\n"
              "V8 Worker_12 7/9 2.000000011: 2000000000 cpu-clock: \n"
              "\t               0 [read] ([kernel.kallsyms])\n" MAIN "\t               0 [truncated] ([unknown])\n\n"
              "t_ 7/0 2.000000016:          5 cpu-clock: \n"
              "\t               0 [page fault] ([kernel.kallsyms])\n" MAIN "\n"
              "prog 7/0 2.000000018:          2 cpu-clock: \n\t               0 [unsampled] ([unknown])\n\n");
    free(text);
    profile_free(profile);
}
END_TEST

/* FlameGraph's stackcollapse-perf.pl would misread these names. */
START_TEST(names_fit_the_readers)
{
    static const struct {
        const char *comm, *function, *head, *frame;
    } names[] = {
        {"R", "f", "R_ 7/9 ", " f ("},
        {"\xc3\xa9", "f", "\xc3\xa9_ 7/9 ", " f ("},
        {"ab", "(anonymous namespace)::f", "ab 7/9 ", " _(anonymous namespace)::f ("},
        {"#x", "p::operator->() const", "_x 7/9 ", " p::operator- >() const ("},
        {"a 1", "x->y->z ", "a_1 7/9 ", " x- >y- >z_ ("},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct profile *profile = make_profile("prog");
        uint32_t process = make_process(profile, 7, 1, "prog"),
                 thread = make_thread(profile, process, 9, names[i].comm);
        uint32_t module = make_module(profile, "/prog", 0x1000, 0x2000);
        ADD_STACK(profile, thread, -1, 1, 5, make_frame(profile, module, names[i].function, 0x1100));
        char *text = written(stored_perf_write, profile, REPORT_OPTIONS_FULL);
        ck_assert_msg(!strncmp(text, names[i].head, strlen(names[i].head)) && strstr(text, names[i].frame), "%s", text);
        free(text);
        profile_free(profile);
    }
}
END_TEST

/* Reading the text gives the same profile, except for the number of images in a process, and lines. */
static void expect_same(struct profile *profile)
{
    struct output output = {0};
    output.bytes = written(stored_perf_write, profile, REPORT_OPTIONS_FULL);
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

/* An untrusted profile may claim any number of samples. */
START_TEST(very_many_samples_are_one_event)
{
    struct profile *profile = make_small();
    profile->samples[0].count = UINT64_MAX;
    char *text = written(stored_perf_write, profile, REPORT_OPTIONS_FULL);
    ck_assert_ptr_nonnull(strstr(text, "V8 Worker_12 7/9 0.000000011:         11 cpu-clock: \n"));
    free(text);
    profile_free(profile);
}
END_TEST

START_TEST(a_full_disk_is_reported)
{
    expect_full_disk_told(stored_perf_write);
}
END_TEST

/* Events are sorted by time. Samples without a time are last. */
START_TEST(events_have_their_times)
{
    struct profile *profile = make_profile("prog");
    uint32_t process = make_process(profile, 7, 0, "prog");
    uint32_t thread = make_thread(profile, process, 7, "a"), other = make_thread(profile, process, 8, "b");
    uint32_t module = make_module(profile, "/bin/prog", 0x1000, 0x2000);
    uint32_t main = make_frame(profile, module, "main", 0x1100);
    profile->quality.wall = true;
    ADD_STACK(profile, thread, -1, 3, 35, main);
    ADD_STACK(profile, other, 7, 2, 0, main);
    add_waiting(profile, 1, 2000000);
    ADD_STACK(profile, other, WAIT_FOR_CPU, 0, 0, main);
    add_waiting(profile, 2, 3);
    add_unsampled(profile, process, 9);
    instants_add(&profile->instants, &(struct instant){4000000, 1, 2, 0, 2000000});
    instants_add(&profile->instants, &(struct instant){5000000, 0, 1, 20, 0});
    instants_add(&profile->instants, &(struct instant){1000000, 0, 1, 10, 0});
    instants_add(&profile->instants, &(struct instant){2000000, 2, 0, 0, 1});
    instants_add(&profile->instants, &(struct instant){3000000, 2, 0, 0, 2});
    char *text = written(stored_perf_write, profile, REPORT_OPTIONS_FULL);
#undef MAIN
#define CALL(name) "\t               0 [" name "] ([kernel.kallsyms])\n"
#define MAIN "\t            1100 main (/bin/prog)\n"
    ck_assert_str_eq(text, "a_ 7/7 0.001000000:         10 wall-clock: \n" MAIN "\n"
                           "b_ 7/8 0.002000000:          3 wall-clock: \n" CALL("runnable") MAIN
                     "\n"
                     "b_ 7/8 0.003000000:    1000000 wall-clock: \n" CALL("poll") MAIN
                     "\n"
                     "b_ 7/8 0.004000000:    1000000 wall-clock: \n" CALL("poll") MAIN
                     "\n"
                     "a_ 7/7 0.005000000:         20 wall-clock: \n" MAIN "\n"
                     "a_ 7/7 0.005000005:          5 wall-clock: \n" MAIN "\n"
                     "prog 7/0 0.005000014:          9 wall-clock: \n"
                     "\t               0 [unsampled] ([unknown])\n\n");
    free(text);
    profile_free(profile);
}
END_TEST

/* Events that are read again have times relative to the first one. */
START_TEST(times_can_be_read_again)
{
    static const uint64_t times[] = {0, 1000000, 3000000};
    struct profile *profile = make_small();
    struct instants_reader reader;
    struct instant instant;
    struct output output = {0};
    for (uint64_t i = 0; i < 3; i++)
        instants_add(&profile->instants, &(struct instant){1000000 + times[i], 0, 1, i ? 4 : 3, 0});
    output.bytes = written(stored_perf_write, profile, REPORT_OPTIONS_FULL);
    output.size = strlen(output.bytes);
    struct profile *again = stored_profile(&output);
    instants_read(&reader, &again->instants);
    for (size_t i = 0; i < UNIT_ROWS(times); i++) {
        ck_assert(instants_next(&reader, &instant));
        ck_assert_uint_eq(instant.time_ns, times[i]);
        ck_assert_uint_eq(instant.sample, 0);
        ck_assert_uint_eq(instant.cpu_ns, i ? 4 : 3);
    }
    free(output.bytes);
    profile_free(again);
    profile_free(profile);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("stored/perf");
    tcase_add_test(tests, samples_are_events);
    tcase_add_test(tests, names_fit_the_readers);
    tcase_add_test(tests, it_can_be_read_again);
    tcase_add_test(tests, very_many_samples_are_one_event);
    tcase_add_test(tests, a_full_disk_is_reported);
    tcase_add_test(tests, events_have_their_times);
    tcase_add_test(tests, times_can_be_read_again);
    return unit_end();
}
