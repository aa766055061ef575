/* SPDX-License-Identifier: MIT */
#include "profile/profile/label.h"
#include "test_report.h"

static const struct {
    const char *file, *format;
} files[] = {
    {"x.txt", "flat"},
    {"a/b.c/x.folded", "folded"},
    {"x.gmon", "gmon"},
    {".txt", "flat"},
    {"x.html", "html"},
    {"x.svg", "svg"},
    {"x.speedscope.json", "speedscope"},
    {"x.json", "json"},
    {"a/callgrind.out.123", "callgrind"},
    {"x.callgrind", "callgrind"},
    {"a.callgrind.out.1", NULL},
    {"x.folded/y", NULL},
    {"x", NULL},
    {"", NULL},
    {"txt", NULL},
    {"x.txt.gz", NULL},
    {"x.TXT", NULL},
    {"/", NULL},
    {"x.gmon.libc.so.6", NULL},
    {"x.perf", "perf-script"},
    {"perf.data", NULL},
    {"x.rows", "rows"},
    {"x.csv", "csv"},
    {"speedscope.json", "json"},
    {"x.json.gz", "firefox"},
    {".speedscope.json", "speedscope"},
};

START_TEST(files_have_the_format_of_their_ending)
{
    const struct report_format *format = report_format_by_file(files[_i].file);
    ck_assert_pstr_eq(format ? format->name : NULL, files[_i].format);
}
END_TEST

START_TEST(every_format_is_whole_and_is_found)
{
    ck_assert_ptr_null(report_format_by_name(""));
    ck_assert_ptr_null(report_format_by_name("flat "));
    for (const struct report_format *format = report_formats; format->name; format++) {
        ck_assert_ptr_eq(report_format_by_name(format->name), format);
        ck_assert_ptr_nonnull(format->summary);
        ck_assert(!format->write != !format->write_module);
        for (const char *const *ending = format->endings; *ending; ending++) {
            char file[64];
            snprintf(file, sizeof file, "%s%s", strchr(*ending, '*') ? "" : "name", *ending);
            ck_assert_ptr_eq(report_format_by_file(file), format);
        }
    }
}
END_TEST

START_TEST(rows_have_names)
{
    ck_assert_str_eq(report_by_name(REPORT_BY_FUNCTION), "function");
    ck_assert_str_eq(report_by_name(REPORT_BY_THREAD), "thread");
    ck_assert_str_eq(report_by_name(REPORT_BY_MPI), "mpi");
    ck_assert_ptr_null(report_by_name(REPORT_BY_MPI + 1));
    ck_assert_str_eq(report_by_detail(REPORT_BY_FUNCTION), "module");
    ck_assert_ptr_null(report_by_detail(REPORT_BY_SYSCALL));
    ck_assert_ptr_null(report_by_detail(REPORT_BY_MPI + 1));
}
END_TEST

static const struct {
    pid_t pid;
    uint32_t image;
    const char *label;
} labels[] = {{7, 0, "7"}, {7, 2, "7.2"}, {0, 0, "-"}, {0, 2, "-"}};

START_TEST(processes_have_labels)
{
    ck_assert_str_eq(label_pid(labels[_i].pid, labels[_i].image).text, labels[_i].label);
}
END_TEST

/* The Firefox Profiler merges processes with the same pid. */
START_TEST(processes_without_a_number_stay_apart)
{
    struct profile *profile = make_example();
    const struct report_format *format = report_format_by_name("firefox");
    uint32_t one = make_process(profile, 0, 0, "one"), two = make_process(profile, 0, 0, "two");
    char text[64];
    add_unsampled(profile, one, 1000000);
    add_unsampled(profile, two, 1000000);
    struct output packed = output_of(format, profile, 0), plain = unpacked(&packed);
    snprintf(text, sizeof text, "\"processName\":\"one\",\"pid\":\"-%u\"", (unsigned)one);
    ck_assert_msg(strstr(plain.bytes, text) != NULL, "%s is not in %s", text, plain.bytes);
    snprintf(text, sizeof text, "\"processName\":\"two\",\"pid\":\"-%u\"", (unsigned)two);
    ck_assert_ptr_nonnull(strstr(plain.bytes, text));
    free(plain.bytes);
    free(packed.bytes);
    profile_free(profile);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("report/formats");
    UNIT_ADD_TABLE(tests, files_have_the_format_of_their_ending, files);
    tcase_add_test(tests, every_format_is_whole_and_is_found);
    tcase_add_test(tests, rows_have_names);
    UNIT_ADD_TABLE(tests, processes_have_labels, labels);
    tcase_add_test(tests, processes_without_a_number_stay_apart);
    return unit_end();
}
