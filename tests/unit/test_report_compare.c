/* SPDX-License-Identifier: MIT
 *
 * The difference of two profiles, as flat and folded show it. */
#include "test_json.h"
#include "test_report.h"

/* A run of prog: main calls work, and in the second run a new function. */
static struct profile *run(bool second)
{
    struct profile *profile = make_profile(second ? "prog 2" : "prog 1");
    uint32_t process = make_process(profile, second ? 20 : 10, 0, "prog");
    uint32_t thread = make_thread(profile, process, second ? 20 : 10, "prog");
    uint32_t module = make_module(profile, "/bin/prog", 0, 100);
    uint32_t main = make_frame(profile, module, "main", 1), work = make_frame(profile, module, "work", 2),
             steady = make_frame(profile, module, "steady", 3), other = make_frame(profile, module, "new", 4);
    ADD_STACK(profile, thread, -1, second ? 600 : 1000, second ? 60000000 : 100000000, work, main);
    ADD_STACK(profile, thread, -1, 100, 10000000, steady, main);
    if (second)
        ADD_STACK(profile, thread, -1, 200, 20000000, other, main);
    else
        ADD_STACK(profile, thread, 0, 50, 5000000, main);
    add_unsampled(profile, process, second ? 3000000 : 2000000);
    return profile;
}

static char *compared(report_writer *writer, const struct profile *profile, const struct profile *base,
                      enum report_by by)
{
    struct report_options options = REPORT_OPTIONS_FULL;
    options.base = base;
    options.by = by;
    return written(writer, profile, options);
}

static const struct {
    enum report_by by;
    const char *table;
} tables[] = {
    {REPORT_BY_FUNCTION, "base ms  count  CPU ms  count    self   total  function     module\n"
                         "  100.0   1000    60.0    600  -40.0   -40.0   work         prog\n"
                         "    0.0      0    20.0    200  +20.0   +20.0   new          prog\n"
                         "    5.0     50     0.0      0   -5.0    -5.0   [read]       [kernel]\n"
                         "    2.0      0     3.0      0   +1.0    +1.0   [unsampled]\n"
                         "    0.0      0     0.0      0    0.0   -25.0   main         prog\n"
                         "   10.0    100    10.0    100    0.0     0.0   steady       prog\n"
                         "  117.0   1150    93.0    900  -24.0           total\n"},
    {REPORT_BY_PROCESS, "base ms  count  CPU ms  count    self  process\n"
                        "  117.0   1150    93.0    900  -24.0   prog\n"
                        "  117.0   1150    93.0    900  -24.0   total\n"},
    {REPORT_BY_THREAD, "base ms  count  CPU ms  count    self  thread\n"
                       "  115.0   1150    90.0    900  -25.0   prog\n"
                       "    2.0      0     3.0      0   +1.0   [unsampled]\n"
                       "  117.0   1150    93.0    900  -24.0   total\n"},
    {REPORT_BY_SYSCALL, "base ms  count  CPU ms  count    self  system call\n"
                        "  110.0   1100    90.0    900  -20.0   (user code)\n"
                        "    5.0     50     0.0      0   -5.0   [read]\n"
                        "    2.0      0     3.0      0   +1.0   [unsampled]\n"
                        "  117.0   1150    93.0    900  -24.0   total\n"},
};

START_TEST(rows_have_their_changes)
{
    struct profile *before = run(false), *after = run(true);
    char *text = compared(report_flat_write, after, before, tables[_i].by);
    const char *head = "prog 2\n"
                       "base: prog 1\n"
                       "93.0 ms of CPU time, 24.0 ms (20.5 %) less than the base's 117 ms\n\n";
    ck_assert_msg(!strncmp(text, head, strlen(head)), "%s", text);
    ck_assert_msg(!strncmp(text + strlen(head), tables[_i].table, strlen(tables[_i].table)), "%s", text);
    free(text);
    profile_free(before);
    profile_free(after);
}
END_TEST

START_TEST(nothing_changed)
{
    struct profile *before = run(false), *after = run(false);
    char *text = compared(report_flat_write, after, before, REPORT_BY_FUNCTION);
    ck_assert_ptr_nonnull(strstr(text, "117 ms of CPU time, 0 s (0.0 %) more than the base's 117 ms\n"));
    ck_assert_ptr_null(strstr(text, "+"));
    ck_assert_ptr_null(strstr(text, "-"));
    free(text);
    profile_free(before);
    profile_free(after);
}
END_TEST

/* Differences explained by chance have a mark in a file, and are omitted on a screen, whatever their size. */
START_TEST(chance_is_distinguished_from_change)
{
    struct profile *sides[2];
    for (unsigned i = 0; i < 2; i++) {
        struct profile *profile = sides[i] = make_profile("prog");
        uint32_t thread = make_thread(profile, make_process(profile, 1, 0, "prog"), 1, "prog");
        uint32_t module = make_module(profile, "/bin/prog", 0, 100);
        uint32_t main = make_frame(profile, module, "main", 1), few = make_frame(profile, module, "few", 2),
                 many = make_frame(profile, module, "many", 3), quick = make_frame(profile, module, "quick", 4);
        ADD_STACK(profile, thread, -1, i ? 2 : 5, i ? 20000000 : 50000000, few, main);
        ADD_STACK(profile, thread, -1, i ? 1050 : 1000, i ? 10500000000 : 10000000000, many, main);
        ADD_STACK(profile, thread, -1, i ? 20 : 60, i ? 200000000 : 600000000, quick, main);
    }
    char *text = compared(report_flat_write, sides[1], sides[0], REPORT_BY_FUNCTION);
    ck_assert_ptr_nonnull(strstr(text, "10.000   1000  10.500   1050  +0.500~   +0.500~  many"));
    ck_assert_ptr_nonnull(strstr(text, " 0.600     60   0.200     20  -0.400    -0.400   quick"));
    ck_assert_ptr_nonnull(strstr(text, " 0.050      5   0.020      2  -0.030~   -0.030~  few"));
    ck_assert_ptr_nonnull(strstr(text, "\n~: the change may be chance"));
    free(text);
    struct report_options screen = REPORT_OPTIONS_DEFAULT;
    screen.base = sides[0];
    text = written(report_flat_write, sides[1], screen);
    ck_assert_ptr_nonnull(strstr(text, " quick"));
    ck_assert_ptr_null(strstr(text, " few"));
    ck_assert_ptr_null(strstr(text, "~"));
    ck_assert_ptr_nonnull(strstr(text, "(3 others: -n all shows them)"));
    free(text);
    profile_free(sides[0]);
    profile_free(sides[1]);
}
END_TEST

/* A terminal omits changes below the smallest share, in both directions. */
START_TEST(small_changes_are_added_up)
{
    struct profile *before = run(false), *after = run(true);
    struct report_options options = REPORT_OPTIONS_DEFAULT;
    options.base = before;
    options.min_percent = 30;
    char *text = written(report_flat_write, after, options);
    ck_assert_ptr_nonnull(strstr(text, "  -40.0   -40.0   work"));
    ck_assert_ptr_nonnull(
        strstr(text, "   17.0    150    33.0    300  +16.0           (5 others: -n all shows them)\n"));
    ck_assert_ptr_nonnull(strstr(text, "  117.0   1150    93.0    900  -24.0           total\n"));
    free(text);
    options.min_percent = 20; /* main's change includes its callees */
    text = written(report_flat_write, after, options);
    ck_assert_ptr_nonnull(strstr(text, "    0.0      0     0.0      0    0.0   -25.0   main"));
    free(text);
    options.min_percent = 0;
    options.max_rows = 2;
    text = written(report_flat_write, after, options);
    ck_assert_ptr_nonnull(
        strstr(text, "   17.0    150    13.0    100   -4.0           (4 others: -n all shows them)\n"));
    free(text);
    profile_free(before);
    profile_free(after);
}
END_TEST

START_TEST(stacks_have_two_weights)
{
    struct profile *before = run(false), *after = run(true);
    char *text = compared(report_folded_write, after, before, REPORT_BY_FUNCTION);
    ck_assert_str_eq(text, "prog;[unsampled] 2000 3000\n"
                           "prog;main;[read] 5000 0\n"
                           "prog;main;new 0 20000\n"
                           "prog;main;steady 10000 10000\n"
                           "prog;main;work 100000 60000\n");
    free(text);
    profile_free(before);
    profile_free(after);
}
END_TEST

/* Both sides are in one tree, including functions on one side only. */
START_TEST(the_page_has_both_sides)
{
    struct profile *before = run(false), *after = run(true);
    char *page = compared(report_html_write, after, before, REPORT_BY_FUNCTION), *data = page_data(page);
    ck_assert(is_json(data));
    static const char head[] = "{\"command\":\"prog 2\",\n\"base\":{\"command\":\"prog 1\"},\n";
    ck_assert_msg(!strncmp(data, head, strlen(head)), "%s", data);
    ck_assert_ptr_nonnull(strstr(data, ",\"baseProcesses\":1,\n\"processName\":[\"prog\",\"prog\"],"));
    ck_assert_ptr_nonnull(
        strstr(data, "\"nodeUp\":[1,1,1,2,3,4,6],\n\"nodeFrame\":[0,1,2,3,4,5,6],\n"
                     "\"rowNode\":[3,4,5,3,4,6,7,7],\n\"rowThread\":[0,0,0,1,1,1,-1,-2],\n"
                     "\"rowNs\":[100000000,10000000,5000000,60000000,10000000,20000000,2000000,3000000],\n"
                     "\"rowSamples\":[1000,100,50,600,100,200,0,0],\n"
                     "\"frameName\":[\"prog\",\"main\",\"work\",\"steady\",\"[read]\",\"new\",\"[unsampled]\"],"));
    free(data);
    free(page);
    profile_free(before);
    profile_free(after);
}
END_TEST

START_TEST(formats_say_whether_they_compare)
{
    for (const struct report_format *format = report_formats; format->name; format++)
        ck_assert_int_eq(format->compares, !strcmp(format->name, "flat") || !strcmp(format->name, "folded") ||
                                               !strcmp(format->name, "html") || !strcmp(format->name, "json") ||
                                               !strcmp(format->name, "csv") || !strcmp(format->name, "pprof"));
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("report/compare");
    UNIT_ADD_TABLE(tests, rows_have_their_changes, tables);
    tcase_add_test(tests, nothing_changed);
    tcase_add_test(tests, chance_is_distinguished_from_change);
    tcase_add_test(tests, small_changes_are_added_up);
    tcase_add_test(tests, stacks_have_two_weights);
    tcase_add_test(tests, the_page_has_both_sides);
    tcase_add_test(tests, formats_say_whether_they_compare);
    return unit_end();
}
