/* SPDX-License-Identifier: MIT */
#include "profile/profile/filter_parts.h"

#include "profile/profile/filter.h"
#include "test_report.h"

#include <errno.h>

#define MS UINT64_C(1000000)

/* Sample 0 waited from 100 to 500 ms, and was seen four times. 1 ran at 100, 200 and 300 ms, and once at an unknown
 * time. 2 ran at 400 ms. */
static struct profile *example(void)
{
    struct profile *profile = make_profile("wait");
    uint32_t process = make_process(profile, 100, 0, "wait"), thread = make_thread(profile, process, 100, "wait");
    uint32_t module = make_module(profile, "/bin/wait", 0, 100);
    uint32_t main = make_frame(profile, module, "main", 10), work = make_frame(profile, module, "work", 20);
    ADD_STACK(profile, thread, 7, 4, 0, main);
    add_waiting(profile, 0, 400 * MS);
    ADD_STACK(profile, thread, -1, 4, 40, work, main);
    ADD_STACK(profile, thread, -1, 1, 5, main);
    add_unsampled(profile, process, 1000);
    instants_add(&profile->instants, &(struct instant){100 * MS, 1, 1, 10, 0});
    instants_add(&profile->instants, &(struct instant){200 * MS, 1, 1, 11, 0});
    instants_add(&profile->instants, &(struct instant){300 * MS, 1, 1, 12, 0});
    instants_add(&profile->instants, &(struct instant){400 * MS, 2, 1, 5, 0});
    instants_add(&profile->instants, &(struct instant){500 * MS, 0, 4, 0, 400 * MS});
    return profile;
}

static const struct {
    struct {
        uint64_t from_ns, to_ns;
    } stretches[3]; /* in milliseconds; an empty one is the end */
    struct {
        uint64_t count, cpu_ns, wait_ms;
    } left[3];
    size_t samples, instants;
} rows[] = {
    {{{0, 1000}}, {{4, 0, 400}, {3, 33, 0}, {1, 5, 0}}, 3, 5},
    {{{100, 200}}, {{1, 0, 100}, {1, 10, 0}, {0, 0, 0}}, 2, 2}, /* the end is exclusive */
    {{{150, 301}}, {{1, 0, 151}, {2, 23, 0}, {0, 0, 0}}, 2, 3},
    {{{0, 100}}, {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, 0, 0},
    {{{600, 700}}, {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, 0, 0},
    {{{200, 201}, {100, 101}}, {{0, 0, 2}, {2, 21, 0}, {0, 0, 0}}, 2, 4},   /* in any order */
    {{{100, 300}, {200, 350}}, {{2, 0, 250}, {3, 33, 0}, {0, 0, 0}}, 2, 4}, /* overlaps count once */
    {{{400, 500}}, {{1, 0, 100}, {0, 0, 0}, {1, 5, 0}}, 2, 2},
};

static void add_stretch(struct filter *filter, uint64_t from_ns, uint64_t to_ns)
{
    ck_assert_int_eq(
        filter_add_stretch(&filter->between, (struct filter_stretch){{.ns = from_ns}, {.ns = to_ns}}, NULL), 0);
}

static void assert_sums(const struct profile *profile)
{
    struct instants_reader reader;
    struct instant instant;
    uint64_t ns = 0, rows_ns = 0;
    for (instants_read(&reader, &profile->instants); instants_next(&reader, &instant);) {
        ck_assert_uint_lt(instant.sample, profile->sample_count);
        ns += instant.cpu_ns + instant.wait_ns;
    }
    for (size_t i = 0; i < profile->sample_count; i++)
        rows_ns += profile_sample_ns(&profile->samples[i]);
    ck_assert_uint_eq(ns, rows_ns);
    ck_assert_uint_eq(profile_ns(profile), rows_ns);
}

START_TEST(stretches_follow_the_table)
{
    struct filter filter = {.pids = {0}};
    struct profile *profile = example();
    uint32_t place = 0;
    bool found;
    for (size_t i = 0; rows[_i].stretches[i].to_ns; i++)
        add_stretch(&filter, rows[_i].stretches[i].from_ns * MS, rows[_i].stretches[i].to_ns * MS);
    ck_assert_int_eq(filter_check(&filter, profile, NULL), 0);
    ck_assert_int_eq(filter_finds(&filter, profile, &found), 0);
    ck_assert_int_eq(found, rows[_i].samples > 0);
    ck_assert_int_eq(filter_apply(&filter, profile), 0);
    ck_assert_uint_eq(profile->sample_count, rows[_i].samples);
    ck_assert_uint_eq(profile->instants.count, rows[_i].instants);
    for (size_t i = 0; i < 3; i++) {
        if (!rows[_i].left[i].count && !rows[_i].left[i].wait_ms)
            continue;
        ck_assert_uint_eq(profile->samples[place].count, rows[_i].left[i].count);
        ck_assert_uint_eq(profile->samples[place].cpu_ns, rows[_i].left[i].cpu_ns);
        ck_assert_uint_eq(profile->samples[place].wait_ns, rows[_i].left[i].wait_ms * MS);
        place++;
    }
    assert_sums(profile);
    filter_fini(&filter);
    profile_free(profile);
}
END_TEST

/* Other filters do not change the times. */
START_TEST(instants_go_with_their_samples)
{
    struct filter filter = {.pids = {0}};
    struct profile *profile = example();
    struct instants_reader reader;
    struct instant instant;
    ck_assert_int_eq(filter_add_pattern(&filter.ignore, "--ignore", "work", NULL), 0);
    ck_assert_int_eq(filter_apply(&filter, profile), 0);
    ck_assert_uint_eq(profile->sample_count, 2);
    instants_read(&reader, &profile->instants);
    ck_assert(instants_next(&reader, &instant));
    ck_assert_uint_eq(instant.sample, 1);
    ck_assert_uint_eq(instant.time_ns, 400 * MS);
    ck_assert(instants_next(&reader, &instant));
    ck_assert_uint_eq(instant.sample, 0);
    ck_assert(!instants_next(&reader, &instant));
    filter_fini(&filter);
    profile_free(profile);
}
END_TEST

/* The head of a report shows the remainder after each option. */
START_TEST(each_option_leaves_its_part)
{
    struct filter filter = {.pids = {0}};
    struct profile *profile = example();
    ck_assert_int_eq(filter_add_pattern(&filter.ignore, "--ignore", "work", NULL), 0);
    ck_assert_int_eq(filter_note(&filter, "--ignore", "work", NULL), 0);
    add_stretch(&filter, 200 * MS, 450 * MS);
    ck_assert_int_eq(filter_note(&filter, "--between", "0.2s..0.45s", NULL), 0);
    ck_assert_int_eq(filter_apply(&filter, profile), 0);
    ck_assert_uint_eq(profile->left_ns[0], 400 * MS + 5 + 1000);
    ck_assert_uint_eq(profile->left_ns[1], 250 * MS + 5);
    filter_fini(&filter);
    profile_free(profile);
}
END_TEST

static const struct {
    uint64_t to_ns, until_ns;
    bool has_instants;
    int result;
} checks[] = {
    {500 * MS, 0, true, 0},          {500 * MS, 500 * MS, true, 0},  {501 * MS, 500 * MS, true, -ENODATA},
    {UINT64_MAX, 500 * MS, true, 0}, {500 * MS, 0, false, -ENODATA},
};

START_TEST(missing_times_are_reported)
{
    struct filter filter = {.pids = {0}};
    struct profile *profile = example();
    struct error error = {0};
    profile->instants.until_ns = checks[_i].until_ns;
    if (!checks[_i].has_instants)
        instants_fini(&profile->instants);
    ck_assert_int_eq(filter_check(&filter, profile, NULL), 0);
    add_stretch(&filter, 0, checks[_i].to_ns);
    ck_assert_int_eq(filter_check(&filter, profile, &error), checks[_i].result);
    ck_assert(!checks[_i].result == !*error.text);
    filter_fini(&filter);
    profile_free(profile);
}
END_TEST

/* By marks: "a" at 150 ms, "b" at 250, "a" again at 350, and "c" at 260. */
static const struct {
    struct filter_stretch stretch;
    uint64_t cpu_ns; /* of sample 1; 0: an error */
    const char *told;
} by_marks[] = {
    {{{"a", 1, 0}, {"b", 1, 0}}, 11, NULL},           {{{"b", 1, 0}, {"a", 1, 0}}, 12, NULL},
    {{{"a", 1, 0}, {"a", 1, 0}}, 23, NULL},           {{{"a", 1, 0}, {NULL, 0, UINT64_MAX}}, 23, NULL},
    {{{NULL, 0, 0}, {"bcd", 1, 0}}, 21, NULL}, /* the mark is the first letter only */
    {{{NULL, 0, 300 * MS}, {"b", 1, 0}}, 0, "'b'"},   {{{"c", 1, 0}, {"b", 1, 0}}, 0, "'b'"},
    {{{"x", 1, 0}, {NULL, 0, UINT64_MAX}}, 0, "'x'"}, {{{"ab", 2, 0}, {NULL, 0, UINT64_MAX}}, 0, "'ab'"},
};

START_TEST(marks_are_times)
{
    static const struct {
        uint64_t time_ns;
        const char *text;
    } marks[] = {{150 * MS, "a"}, {250 * MS, "b"}, {350 * MS, "a"}, {260 * MS, "c"}};
    struct filter filter = {.pids = {0}};
    struct profile *profile = example();
    struct error error = {0};
    uint64_t cpu_ns = 0;
    for (size_t i = 0; i < UNIT_ROWS(marks); i++)
        add_mark(profile, marks[i].time_ns, marks[i].text);
    ck_assert_int_eq(filter_add_stretch(&filter.between, by_marks[_i].stretch, NULL), 0);
    int result = filter_check(&filter, profile, &error);
    ck_assert_int_eq(result, by_marks[_i].told ? -ENODATA : 0);
    if (by_marks[_i].told) {
        ck_assert_msg(strstr(error.text, by_marks[_i].told) && strstr(error.text, "'b' at 0.250s"), "%s", error.text);
    } else {
        ck_assert_int_eq(filter_apply(&filter, profile), 0);
        for (size_t i = 0; i < profile->sample_count; i++)
            cpu_ns += profile->samples[i].frame_count == 2 ? profile->samples[i].cpu_ns : 0;
        ck_assert_uint_eq(cpu_ns, by_marks[_i].cpu_ns);
    }
    filter_fini(&filter);
    profile_free(profile);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("profile/filter_times");
    UNIT_ADD_TABLE(tests, stretches_follow_the_table, rows);
    tcase_add_test(tests, instants_go_with_their_samples);
    tcase_add_test(tests, each_option_leaves_its_part);
    UNIT_ADD_TABLE(tests, missing_times_are_reported, checks);
    UNIT_ADD_TABLE(tests, marks_are_times, by_marks);
    return unit_end();
}
