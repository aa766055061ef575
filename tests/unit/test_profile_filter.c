/* SPDX-License-Identifier: MIT */
#include "profile/profile/filter.h"

#include "common/base/buffer.h"
#include "test_report.h"

/* The example's samples, by index: 0 is sh in wait4. 1 to 3 are the first cc1, with 3 in its thread "worker" in
 * libc. 4 to 6 are the second cc1, with 5 in read and 6 in system call 9999. */
static const struct {
    const char *option, *value, *more;
    const char *samples; /* the remaining samples */
    const char *processes;
    uint64_t unsampled_ns;
} filters[] = {
    {NULL, NULL, NULL, "0123456", "4100 4101 4102 4103 ", 4500000},
    {"pid", "4101", NULL, "123", "4101 ", 3000000},
    {"pid", "4100,4102", NULL, "0456", "4100 4102 ", 1500000},
    {"pid", "4103", NULL, "", "4103 ", 0},
    {"pid", "1", NULL, "", "", 0},
    {"tid", "4102", NULL, "456", "4102 ", 0},
    {"comm", "cc1", NULL, "123456", "4101 4102 ", 3000000},
    {"comm", "worker", NULL, "3", "4101 ", 0},
    {"comm", "cc", NULL, "", "", 0},
    {"comm", "cc?", NULL, "123456", "4101 4102 ", 3000000},
    {"comm", "*k[d-f]r", NULL, "3", "4101 ", 0},
    {"comm", "cc[", NULL, "", "", 0},
    {"module", "*/libc.so*", NULL, "3", "4101 ", 0},
    {"comm", "sh", "old", "0", "4100 4103 ", 1500000},
    {"module", "cc1", NULL, "124", "4101 4102 ", 0},
    {"module", "/usr/lib/x86_64-linux-gnu/libc.so.6", NULL, "3", "4101 ", 0},
    {"module", "[kernel]", NULL, "056", "4100 4102 ", 0},
    {"module", "[kernel]", "cc1", "012456", "4100 4101 4102 ", 0},
    {"focus", "^ht_", NULL, "2", "4101 ", 0},
    {"focus", "walk", NULL, "124", "4101 4102 ", 0},
    {"focus", "^main$", NULL, "0123456", "4100 4101 4102 ", 0},
    {"focus", "\\[read\\]|wait", NULL, "05", "4100 4102 ", 0},
    {"focus", "syscall_9999", NULL, "6", "4102 ", 0},
    {"focus", "unsampled", NULL, "", "4100 4101 4102 4103 ", 4500000},
    {"focus", "truncated", NULL, "2", "4101 ", 0},
    {"focus", "inlined", NULL, "3", "4101 ", 0},
    {"ignore", "walk", NULL, "0356", "4100 4101 4102 4103 ", 4500000},
    {"ignore", "walk", "unsampled", "0356", "4100 4101 4102 ", 0},
    {"ignore", "inlined", NULL, "012456", "4100 4101 4102 4103 ", 4500000},
    {"ignore", ".", NULL, "", "", 0},
};

static void add(struct filter *filter, const char *option, const char *value)
{
    struct error error = {0};
    int result = !strcmp(option, "pid")      ? filter_add_numbers(&filter->pids, option, value, &error)
                 : !strcmp(option, "tid")    ? filter_add_numbers(&filter->tids, option, value, &error)
                 : !strcmp(option, "comm")   ? filter_add_name(&filter->comms, option, value, &error)
                 : !strcmp(option, "module") ? filter_add_name(&filter->modules, option, value, &error)
                 : !strcmp(option, "focus")  ? filter_add_pattern(&filter->focus, option, value, &error)
                                             : filter_add_pattern(&filter->ignore, option, value, &error);
    ck_assert_msg(result == 0, "%s", error.text);
}

/* The example with a truncated stack, and a call inlined into __memmove_avx_unaligned_erms. */
static struct profile *example(void)
{
    struct profile *profile = make_example();
    uint32_t inlined = make_frame(profile, 2, "inlined", 0x50001);
    static const struct profile_line lines[] = {{6, PROFILE_NONE, 1}, {5, PROFILE_NONE, 2}};
    ck_assert_uint_eq(profile->locations[inlined].function, 7);
    profile->lines = made_room(NULL, 2, sizeof lines);
    memcpy(profile->lines, lines, sizeof lines);
    profile->lines[0].function = profile->locations[inlined].function;
    profile->line_count = profile->locations[5].line_count = 2;
    profile->samples[2].cut = PROFILE_TRUNCATED;
    return profile;
}

START_TEST(remainders_follow_the_table)
{
    struct profile *profile = example(), *whole = example();
    struct filter filter = {.pids.count = 0};
    struct buffer samples = {0}, processes = {0};
    uint64_t unsampled_ns = 0, cpu_ns = 0;
    if (filters[_i].option)
        add(&filter, filters[_i].option, filters[_i].value);
    if (filters[_i].more)
        add(&filter, filters[_i].option, filters[_i].more);
    bool found;
    ck_assert_int_eq(filter_finds(&filter, profile, &found), 0);
    ck_assert_int_eq(found, *filters[_i].processes != 0);
    ck_assert_int_eq(filter_apply(&filter, profile), 0);
    buffer_puts(&samples, "");
    buffer_puts(&processes, "");
    for (size_t i = 0; i < profile->sample_count; i++)
        for (size_t was = 0; was < whole->sample_count; was++)
            if (profile->samples[i].frame_first == whole->samples[was].frame_first) {
                const struct profile_thread *thread = &profile->threads[profile->samples[i].thread],
                                            *thread_was = &whole->threads[whole->samples[was].thread];
                buffer_printf(&samples, "%zu", was);
                ck_assert_int_eq(thread->tid, thread_was->tid);
                ck_assert_int_eq(profile->processes[thread->process].pid, whole->processes[thread_was->process].pid);
                cpu_ns += profile->samples[i].cpu_ns;
            }
    for (size_t i = 0; i < profile->process_count; i++) {
        buffer_printf(&processes, "%d ", (int)profile->processes[i].pid);
        unsampled_ns += profile->processes[i].unsampled_ns;
    }
    ck_assert_str_eq(samples.bytes, filters[_i].samples);
    ck_assert_str_eq(processes.bytes, filters[_i].processes);
    ck_assert_uint_eq(unsampled_ns, filters[_i].unsampled_ns);
    ck_assert_uint_eq(profile_cpu_ns(profile), cpu_ns + unsampled_ns);
    buffer_fini(&samples);
    buffer_fini(&processes);
    filter_fini(&filter);
    profile_free(whole);
    profile_free(profile);
}
END_TEST

START_TEST(all_that_is_asked_for_must_fit)
{
    struct profile *profile = example();
    struct filter filter = {.pids.count = 0};
    add(&filter, "comm", "cc1");
    add(&filter, "focus", "walk");
    add(&filter, "ignore", "^ht_");
    add(&filter, "tid", "4101");
    ck_assert_int_eq(filter_apply(&filter, profile), 0);
    ck_assert_uint_eq(profile->sample_count, 1);
    ck_assert_uint_eq(profile_cpu_ns(profile), 2100000000);
    ck_assert_uint_eq(profile->process_count, 1);
    filter_fini(&filter);
    profile_free(profile);
}
END_TEST

static void ask(struct filter *filter, const char *option, const char *value)
{
    struct error error = {0};
    char name[16];
    snprintf(name, sizeof name, "--%s", option);
    add(filter, option, value);
    ck_assert_int_eq(filter_note(filter, name, value, &error), 0);
}

/* Options of one list are one choice, in any position. Each choice is reported with the previous ones. */
START_TEST(each_options_remainder_is_reported)
{
    static const char *const order[] = {"--comm=cc1", "--focus=ht_", "--focus=^main$", "--ignore=walk"};
    struct profile *profile = example(), *one = example(), *two = example();
    struct filter filter = {.pids.count = 0}, first = {.pids.count = 0}, second = {.pids.count = 0};
    ask(&filter, "comm", "cc1");
    ask(&filter, "focus", "ht_");
    ask(&filter, "ignore", "walk");
    ask(&filter, "focus", "^main$");
    ck_assert_int_eq(filter_apply(&filter, profile), 0);
    ck_assert_uint_eq(filter.asked.count, UNIT_ROWS(order));
    for (size_t i = 0; i < UNIT_ROWS(order); i++)
        ck_assert_str_eq(filter.asked.items[i], order[i]);
    add(&first, "comm", "cc1");
    ck_assert_int_eq(filter_apply(&first, one), 0);
    ck_assert_uint_eq(profile->left_ns[0], profile_ns(one));
    add(&second, "comm", "cc1");
    add(&second, "focus", "ht_|^main$");
    ck_assert_int_eq(filter_apply(&second, two), 0);
    ck_assert_uint_eq(profile->left_ns[1], profile_ns(two));
    ck_assert_uint_eq(profile->left_ns[2], profile_ns(two));
    ck_assert_uint_eq(profile->left_ns[3], profile_ns(profile));
    ck_assert(profile_ns(one) > profile_ns(two) && profile_ns(two) > profile_ns(profile) && profile_ns(profile));
    filter_fini(&filter);
    filter_fini(&first);
    filter_fini(&second);
    profile_free(profile);
    profile_free(one);
    profile_free(two);
}
END_TEST

/* ptprofil's own CPU time belongs to the whole profile. Beside a part of it, it would be meaningless. */
START_TEST(costs_are_reported_for_the_whole_only)
{
    struct profile *profile = example();
    struct filter filter = {.pids.count = 0};
    ck_assert_int_eq(filter_apply(&filter, profile), 0);
    ck_assert_uint_ne(profile->quality.supervisor_cpu_ns, 0);
    add(&filter, "comm", "cc1");
    ck_assert_int_eq(filter_apply(&filter, profile), 0);
    ck_assert_uint_eq(profile->quality.supervisor_cpu_ns, 0);
    filter_fini(&filter);
    profile_free(profile);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("profile/filter");
    UNIT_ADD_TABLE(tests, remainders_follow_the_table, filters);
    tcase_add_test(tests, all_that_is_asked_for_must_fit);
    tcase_add_test(tests, each_options_remainder_is_reported);
    tcase_add_test(tests, costs_are_reported_for_the_whole_only);
    return unit_end();
}
