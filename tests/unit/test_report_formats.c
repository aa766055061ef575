/* SPDX-License-Identifier: MIT */
#include "test_report.h"

static const struct {
    const char *file, *format;
} files[] = {
    {"x.txt", "flat"},
    {"a/b.c/x.folded", "folded"},
    {"x.gmon", "gmon"},
    {".txt", "flat"},
    {"x.html", "html"},
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
    enum report_by by = REPORT_BY_THREAD;
    for (enum report_by each = 0; report_by_name(each); each++)
        ck_assert(report_by_find(report_by_name(each), &by) && by == each);
    ck_assert_int_eq(by, REPORT_BY_SYSCALL);
    ck_assert_str_eq(report_by_detail(REPORT_BY_FUNCTION), "module");
    by = REPORT_BY_THREAD;
    ck_assert(!report_by_find("", &by) && !report_by_find("functions", &by));
    ck_assert_int_eq(by, REPORT_BY_THREAD);
    ck_assert(report_by_find("function", &by) && by == REPORT_BY_FUNCTION);
    ck_assert(report_by_find("module", &by) && by == REPORT_BY_MODULE);
    ck_assert(report_by_find("process", &by) && by == REPORT_BY_PROCESS);
    ck_assert(report_by_find("thread", &by) && by == REPORT_BY_THREAD);
    ck_assert(report_by_find("line", &by) && by == REPORT_BY_LINE);
    ck_assert(report_by_find("syscall", &by) && by == REPORT_BY_SYSCALL);
}
END_TEST

/* A build without what a format takes says so. */
START_TEST(what_is_missing_is_told)
{
    ck_assert((report_format_by_file("run.pb.gz") != NULL) == (report_format_missing("run.pb.gz") == NULL));
    ck_assert((report_format_by_name("pprof") != NULL) == (report_format_missing("pprof") == NULL));
    ck_assert_ptr_null(report_format_missing("run.nonsense"));
    ck_assert_ptr_null(report_format_missing("nonsense"));
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("report/formats");
    UNIT_ADD_TABLE(tests, files_have_the_format_of_their_ending, files);
    tcase_add_test(tests, every_format_is_whole_and_is_found);
    tcase_add_test(tests, rows_have_names);
    tcase_add_test(tests, what_is_missing_is_told);
    return unit_end();
}
