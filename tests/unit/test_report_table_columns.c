/* SPDX-License-Identifier: MIT
 *
 * Formats for other programs: json and csv. */
#include "profile/report/table_columns.h"
#include "test_json.h"
#include "test_report.h"

static char *listed(report_writer *writer, const struct profile *profile, enum report_by by)
{
    struct report_options options = REPORT_OPTIONS_FULL;
    options.by = by;
    return written(writer, profile, options);
}

/* Returns the JSON text behind its head. */
static const char *rows_of(const char *text)
{
    const char *rows = strstr(text, "\n\"by\":");
    ck_assert_ptr_nonnull(rows);
    return rows + 1;
}

#define NUMBERS "samples,self_ns,total_ns,user_ns,system_ns,unsampled_ns,waiting_ns,estimated_ns,self_share,total_share"

static const struct {
    enum report_by by;
    const char *csv;
} tables[] = {
    {REPORT_BY_FUNCTION, "name,module," NUMBERS "\r\n"
                         "f,prog,3,7,8,7,0,0,0,0,0.700000000,0.800000000\r\n"
                         "[unsampled],,0,2,2,0,0,2,0,0,0.200000000,0.200000000\r\n"
                         "[read],[kernel],1,1,1,0,1,0,0,0,0.100000000,0.100000000\r\n"
                         "main,prog,0,0,8,0,0,0,0,0,0.000000000,0.800000000\r\n"},
    {REPORT_BY_MODULE, "name,path," NUMBERS "\r\n"
                       "prog,/bin/prog,3,7,8,7,0,0,0,0,0.700000000,0.800000000\r\n"
                       "[unsampled],,0,2,2,0,0,2,0,0,0.200000000,0.200000000\r\n"
                       "[kernel],,1,1,1,0,1,0,0,0,0.100000000,0.100000000\r\n"},
    {REPORT_BY_PROCESS, "name,process_id," NUMBERS "\r\n"
                        "prog,7.1,4,10,10,7,1,2,0,0,1.000000000,1.000000000\r\n"},
    {REPORT_BY_THREAD, "name,thread_id," NUMBERS "\r\n"
                       "t,7.1/9,4,8,8,7,1,0,0,0,0.800000000,0.800000000\r\n"
                       "[unsampled],7.1,0,2,2,0,0,2,0,0,0.200000000,0.200000000\r\n"},
    {REPORT_BY_LINE, "name,function," NUMBERS "\r\n"
                     "a.c:12,f,3,7,8,7,0,0,0,0,0.700000000,0.800000000\r\n"
                     "[unsampled],,0,2,2,0,0,2,0,0,0.200000000,0.200000000\r\n"
                     "[read],[kernel],1,1,1,0,1,0,0,0,0.100000000,0.100000000\r\n"
                     "[no line],main,0,0,8,0,0,0,0,0,0.000000000,0.800000000\r\n"},
    {REPORT_BY_FILE, "name,module," NUMBERS "\r\n"
                     "a.c,prog,3,7,8,7,0,0,0,0,0.700000000,0.800000000\r\n"
                     "[unsampled],,0,2,2,0,0,2,0,0,0.200000000,0.200000000\r\n"
                     "[read],[kernel],1,1,1,0,1,0,0,0,0.100000000,0.100000000\r\n"
                     "[no file],prog,0,0,8,0,0,0,0,0,0.000000000,0.800000000\r\n"},
    {REPORT_BY_SYSCALL, "name," NUMBERS "\r\n"
                        "(user code),3,7,7,7,0,0,0,0,0.700000000,0.700000000\r\n"
                        "[unsampled],0,2,2,0,0,2,0,0,0.200000000,0.200000000\r\n"
                        "[read],1,1,1,0,1,0,0,0,0.100000000,0.100000000\r\n"},
};

static struct profile *make_small(void)
{
    struct profile *profile = make_profile("prog -x");
    uint32_t process = make_process(profile, 7, 1, "prog"), thread = make_thread(profile, process, 9, "t");
    uint32_t module = make_module(profile, "/bin/prog", 0, 100);
    uint32_t main = make_frame(profile, module, "main", 1), f = make_frame(profile, module, "f", 2);
    add_line(profile, f, f, "a.c", 12);
    ADD_STACK(profile, thread, -1, 3, 7, f, main);
    ADD_STACK(profile, thread, 0, 1, 1, f, main);
    add_unsampled(profile, process, 2);
    return profile;
}

/* A spreadsheet would compute these cells. */
START_TEST(names_are_no_formulas)
{
    static const struct {
        const char *name, *field;
    } names[] = {
        {"=1+1", "'=1+1"},
        {"@SUM(A1)", "'@SUM(A1)"},
        {"-[NSObject init]", "'-[NSObject init]"},
        {"+x, y", "\"'+x, y\""},
        {"=\"a\"", "\"'=\"\"a\"\"\""},
        {"a=b", "a=b"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct buffer out = {0};
        table_text_put_csv(&out, names[i].name);
        ck_assert_str_eq(out.bytes, names[i].field);
        buffer_fini(&out);
    }
}
END_TEST

START_TEST(all_rows_have_their_numbers)
{
    struct profile *profile = make_small();
    char *text = listed(report_csv_write, profile, tables[_i].by);
    ck_assert_str_eq(text, tables[_i].csv);
    free(text);
    profile_free(profile);
}
END_TEST

/* JSON has as many rows as the table, and the same sums. */
START_TEST(json_has_the_same_rows)
{
    struct profile *profile = make_small();
    char *text = listed(report_json_write, profile, tables[_i].by);
    size_t lines = 0, rows = 0;
    ck_assert_msg(is_json(text), "%s", text);
    for (const char *at = strstr(tables[_i].csv, "\r\n"); at; at = strstr(at + 1, "\r\n"))
        lines++;
    for (const char *at = strstr(rows_of(text), "{\"name\":"); at; at = strstr(at + 1, "{\"name\":"))
        rows++;
    ck_assert_uint_eq(rows, lines - 1);
    ck_assert_uint_eq(json_sum_members(text, "self_ns"), 10);
    ck_assert_uint_eq(json_sum_members(rows_of(text), "samples"), 4);
    free(text);
    profile_free(profile);
}
END_TEST

START_TEST(json_tells_what_the_summary_tells)
{
    struct profile *profile = make_waiting_example();
    profile->quality.ended_early = "it was told to";
    profile->quality.signal = 15;
    profile->quality.began_ns = 1700000000000000001;
    add_mark(profile, 1500000000, "half <way>");
    profile->quality.last_rate = 20;
    profile->quality.changes[profile->quality.change_count++] = (struct profile_rate_change){7, 50};
    profile->quality.changes[profile->quality.change_count++] = (struct profile_rate_change){9, 20};
    char *text = listed(report_json_write, profile, REPORT_BY_PROCESS);
    static const char *const parts[] = {
        "{\"format\":\"ptprofil\",\"version\":1,\n\"command\":\"sh -c 'gcc -O2 -c a.c && gcc -O2 -c b.c'\",\n",
        "\"clock\":\"wall\"",
        "\"whole\":{\"ns\":8078500001,\"cpu_ns\":3606500000,\"waiting_ns\":4472000001,\"unsampled_ns\":44500000,"
        "\"estimated_ns\":0,"
        "\"samples\":361,\"process_images\":4,",
        "\"recording\":{\"began_ns\":1700000000000000001,\"wall_ns\":3700000000,\"off_ns\":0,\"rate_hz\":100,"
        "\"last_rate_hz\":20,\"lowest_rate_hz\":100,"
        "\"samples\":361,\"due\":365,\"pause_median_ns\":5200,\"pause_p99_ns\":18400,\"supervisor_cpu_ns\":21000000,",
        "\"missing\":{\"thread_waited_for_cpu\":3,\"tracer_late\":1,\"thread_not_known\":0,",
        "\"too_many_threads\":0,\"looks_put_off\":12,",
        "\"page_faults_estimated\":0",
        "\"ended_by_signal\":15,\n\"ended_early\":\"it was told to\",\n"
        "\"rate_changes\":[{\"time_ns\":7,\"rate_hz\":50},{\"time_ns\":9,\"rate_hz\":20}]}",
        "\"not_sampled\":[\n{\"name\":\"old\",\"pid\":4103,\"image\":0,\"why\":\"32-bit "
        "program\"}],\n\"marks\":[\n{\"time_ns\":1500000000,\"text\":\"half \\u003cway>\"}],\n\"base\"",
        "\"base\":null,\n\"filters\":[],\n\"by\":\"process\",\n\"rows\":[\n{\"name\":\"sh\",\"process_id\":\"4100\",",
    };
    ck_assert(is_json(text));
    for (size_t i = 0; i < UNIT_ROWS(parts); i++)
        ck_assert_msg(strstr(text, parts[i]) != NULL, "no %s in %s", parts[i], text);
    free(text);
    profile_free(profile);
}
END_TEST

START_TEST(json_tells_what_was_asked_for)
{
    struct profile *profile = make_small(), *base = make_small();
    char *const filters[] = {(char[]){"--focus=\"f\""}, (char[]){"--pid=7"}};
    struct report_options options = {.utf8 = true, .filters = filters, .filter_count = 2, .base = base};
    base->samples[0].cpu_ns += 5;
    base->processes[0].cpu_ns += 5;
    char *text = written(report_json_write, profile, options);
    ck_assert(is_json(text));
    ck_assert_ptr_nonnull(strstr(text, "\"filters\":[\"--focus=\\\"f\\\"\",\"--pid=7\"]"));
    ck_assert_ptr_nonnull(
        strstr(text, "\"base\":{\"command\":\"prog -x\",\n\"clock\":\"cpu\",\n\"whole\":{\"ns\":15,"));
    ck_assert_ptr_nonnull(strstr(text,
                                 "{\"name\":\"f\",\"module\":\"prog\",\"samples\":3,\"self_ns\":7,\"total_ns\":8,"
                                 "\"user_ns\":7,\"system_ns\":0,\"unsampled_ns\":0,\"waiting_ns\":0,\"estimated_ns\":0,"
                                 "\"self_share\":0.700000000,\"total_share\":0.800000000,\"base_self_ns\":12,"
                                 "\"base_total_ns\":13,\"self_change_ns\":-5,\"total_change_ns\":-5,"
                                 "\"base_samples\":3,\"self_change_by_chance\":true,\"total_change_by_chance\":true}"));
    free(text);
    text = written(report_csv_write, profile, options);
    ck_assert_ptr_nonnull(
        strstr(text, "\r\nf,prog,3,7,8,7,0,0,0,0,0.700000000,0.800000000,12,13,-5,-5,3,true,true\r\n"));
    free(text);
    profile_free(profile);
    profile_free(base);
}
END_TEST

static const struct {
    const char *name, *field;
} fields[] = {
    {"f", "f"},
    {"f(int, char)", "\"f(int, char)\""},
    {"say \"hi\"", "\"say \"\"hi\"\"\""},
    {"\"", "\"\"\"\""},
    {"two\nlines\r\n", "two\\nlines\\r\\n"},
    {" f", "\" f\""},
    {"f ", "\"f \""},
    {"", ""},
    {"a;b\tc", "a;b\\tc"},
    {"\xff", "\\xff"},
    {"na\xc3\xafve", "na\xc3\xafve"},
};

START_TEST(fields_are_quoted_where_they_must)
{
    char expected[256];
    struct profile *profile = make_profile(NULL);
    uint32_t thread = make_thread(profile, make_process(profile, 1, 0, "p"), 1, "t");
    uint32_t module = make_module(profile, "/bin/prog", 0, 100);
    ADD_STACK(profile, thread, -1, 1, 5, make_frame(profile, module, fields[_i].name, 1));
    char *text = listed(report_csv_write, profile, REPORT_BY_FUNCTION);
    snprintf(expected, sizeof expected,
             "name,module," NUMBERS "\r\n%s,prog,1,5,5,5,0,0,0,0,1.000000000,1.000000000\r\n", fields[_i].field);
    ck_assert_str_eq(text, expected);
    free(text);
    profile_free(profile);
}
END_TEST

/* As in profiles of kernel-based samplers. */
START_TEST(functions_of_the_kernel_are_system_time)
{
    struct profile *profile = make_profile(NULL);
    uint32_t thread = make_thread(profile, make_process(profile, 1, 0, "p"), 1, "t");
    uint32_t kernel = make_module(profile, "[kernel.kallsyms]", 0, 0), module = make_module(profile, "/bin/p", 0, 100);
    uint32_t main = make_frame(profile, module, "main", 1);
    ADD_STACK(profile, thread, -1, 1, 5, make_frame(profile, kernel, "do_idle", 0xffffffff81000000), main);
    char *text = listed(report_csv_write, profile, REPORT_BY_PROCESS);
    ck_assert_str_eq(text, "name,process_id," NUMBERS "\r\np,1,1,5,5,0,5,0,0,0,1.000000000,1.000000000\r\n");
    free(text);
    text = listed(report_csv_write, profile, REPORT_BY_SYSCALL);
    ck_assert_str_eq(text, "name," NUMBERS "\r\n[kernel],1,5,5,0,5,0,0,0,1.000000000,1.000000000\r\n");
    free(text);
    profile_free(profile);
}
END_TEST

START_TEST(nothing_has_a_head)
{
    struct profile *profile = make_profile(NULL);
    char *text = listed(report_csv_write, profile, REPORT_BY_SYSCALL);
    ck_assert_str_eq(text, "name," NUMBERS "\r\n");
    free(text);
    text = listed(report_json_write, profile, REPORT_BY_SYSCALL);
    ck_assert(is_json(text));
    ck_assert_str_eq(rows_of(text), "\"by\":\"syscall\",\n\"rows\":[]}\n");
    ck_assert_ptr_nonnull(strstr(text, "\"command\":null"));
    free(text);
    profile_free(profile);
}
END_TEST

static report_writer *const writers[] = {report_json_write, report_csv_write};

START_TEST(a_full_disk_is_reported)
{
    expect_full_disk_told(writers[_i]);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("report/table_columns");
    UNIT_ADD_TABLE(tests, all_rows_have_their_numbers, tables);
    UNIT_ADD_TABLE(tests, json_has_the_same_rows, tables);
    tcase_add_test(tests, json_tells_what_the_summary_tells);
    tcase_add_test(tests, json_tells_what_was_asked_for);
    UNIT_ADD_TABLE(tests, fields_are_quoted_where_they_must, fields);
    tcase_add_test(tests, functions_of_the_kernel_are_system_time);
    tcase_add_test(tests, nothing_has_a_head);
    UNIT_ADD_TABLE(tests, a_full_disk_is_reported, writers);
    tcase_add_test(tests, names_are_no_formulas);
    return unit_end();
}
