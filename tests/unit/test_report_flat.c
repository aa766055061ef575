/* SPDX-License-Identifier: MIT */
#include "test_report.h"

#include "common/text/text.h"

#include <errno.h>

static char *flat(const struct profile *profile, struct report_options options)
{
    return written(report_flat_write, profile, options);
}

/* Returns the lines of TEXT from the line with START up to an empty one. Free with free(). */
static char *part_of(const char *text, const char *start)
{
    const char *begin = strstr(text, start);
    ck_assert_msg(begin, "no \"%s\" in:\n%s", start, text);
    const char *end = strstr(begin, "\n\n");
    return end ? strndup(begin, (size_t)(end - begin) + 1) : strdup(begin);
}

static const struct {
    enum report_by by;
    const char *table;
} tables[] = {
    {REPORT_BY_FUNCTION, "samples  CPU s    self   total   user  system  function                module\n"
                         "    311  3.110   86.2%   95.1%  3.110   0.000  walk_tree_..._node*>*)  cc1\n"
                         "     32  0.321    8.9%    8.9%  0.321   0.000  ht_lookup_with_hash     cc1\n"
                         "      9  0.090    2.5%    2.5%  0.090   0.000  __memmove_...gned_erms  libc.so.6\n"
                         "      7  0.068    1.9%    1.9%  0.000   0.068  [read]                  [kernel]\n"
                         "      1  0.009    0.2%    0.2%  0.000   0.009  [syscall_9999]          [kernel]\n"
                         "      0  0.005    0.1%    0.1%      -       -  [unsampled]\n"
                         "      1  0.004    0.1%    0.1%  0.000   0.004  [wait4]                 [kernel]\n"
                         "      0  0.000    0.0%   99.8%  0.000   0.000  main                    cc1\n"
                         "      0  0.000    0.0%    2.1%  0.000   0.000  read                    libc.so.6\n"
                         "      0  0.000    0.0%    0.1%  0.000   0.000  __wait3                 libc.so.6\n"
                         "      0  0.000    0.0%    0.1%  0.000   0.000  main                    dash\n"
                         "    361  3.607  100.0%          3.521   0.081  total\n"},
    {REPORT_BY_MODULE, "samples  CPU s    self   total   user  system  module       path\n"
                       "    343  3.431   95.1%   99.8%  3.431   0.000  cc1          /usr/lib/...u/12/cc1\n"
                       "      9  0.090    2.5%    4.7%  0.090   0.000  libc.so.6    /usr/lib/...ibc.so.6\n"
                       "      9  0.081    2.2%    2.2%  0.000   0.081  [kernel]\n"
                       "      0  0.005    0.1%    0.1%      -       -  [unsampled]\n"
                       "      0  0.000    0.0%    0.1%  0.000   0.000  dash         /usr/bin/dash\n"
                       "    361  3.607  100.0%          3.521   0.081  total\n"},
    {REPORT_BY_PROCESS, "samples  CPU s    self   user  system  unsampled  process  pid\n"
                        "    251  2.514   69.7%  2.511   0.000      0.003  cc1      4101.1  #############\n"
                        "    109  1.087   30.1%  1.010   0.077      0.000  cc1      4102.1  ######\n"
                        "      1  0.006    0.2%  0.000   0.004      0.002  sh       4100\n"
                        "      0  0.000    0.0%  0.000   0.000      0.000  old      4103\n"
                        "    361  3.607  100.0%  3.521   0.081      0.005  total\n"},
    {REPORT_BY_PROGRAM, "samples  CPU s    self   user  system  unsampled  program\n"
                        "    360  3.601   99.8%  3.521   0.077      0.003  cc1      #####################\n"
                        "      1  0.006    0.2%  0.000   0.004      0.002  sh\n"
                        "    361  3.607  100.0%  3.521   0.081      0.005  total\n"},
    {REPORT_BY_COMMAND, "samples  CPU s    self  command\n"
                        "    251  2.514   69.7%  cc1 -quiet -O2 -g -fno-plt source/a.c -o /tmp/a.s\n"
                        "    109  1.087   30.1%  cc1 -quiet -O2 -g -fno-plt source/b.c -o /tmp/b.s\n"
                        "      1  0.006    0.2%  sh\n"
                        "    361  3.607  100.0%  total\n"},
    {REPORT_BY_THREAD, "samples  CPU s    self   user  system  thread       pid/tid\n"
                       "    242  2.421   67.1%  2.421   0.000  cc1          4101.1/4101  ###############\n"
                       "    109  1.087   30.1%  1.010   0.077  cc1          4102.1/4102  #######\n"
                       "      9  0.090    2.5%  0.090   0.000  worker       4101.1/-     #\n"
                       "      1  0.004    0.1%  0.000   0.004  sh           4100/4100\n"
                       "      0  0.003    0.1%      -       -  [unsampled]  4101.1\n"
                       "      0  0.002    0.0%      -       -  [unsampled]  4100\n"
                       "    361  3.607  100.0%  3.521   0.081  total\n"},
    {REPORT_BY_SYSCALL, "samples  CPU s    self   user  system  system call\n"
                        "    352  3.521   97.6%  3.521   0.000  (user code)     ########################\n"
                        "      7  0.068    1.9%  0.000   0.068  [read]          #\n"
                        "      1  0.009    0.2%  0.000   0.009  [syscall_9999]\n"
                        "      0  0.005    0.1%      -       -  [unsampled]\n"
                        "      1  0.004    0.1%  0.000   0.004  [wait4]\n"
                        "    361  3.607  100.0%  3.521   0.081  total\n"},
};

START_TEST(tables_are_as_shown)
{
    struct profile *profile = make_example();
    struct report_options options = {.by = tables[_i].by, .width = 80};
    char *text = flat(profile, options), *part = part_of(text, "samples  CPU");
    ck_assert_str_eq(part, tables[_i].table);
    free(part);
    free(text);
    profile_free(profile);
}
END_TEST

/* An inlined call has self time, and its caller's line has total time. A function without lines has a row of its
 * own. */
START_TEST(lines_are_rows)
{
    struct profile *profile = make_profile("program");
    uint32_t thread = make_thread(profile, make_process(profile, 1, 0, "program"), 1, "program");
    uint32_t module = make_module(profile, "/usr/bin/program", 0, 0x1000);
    uint32_t main = make_frame(profile, module, "main", 0x100), inner = make_frame(profile, module, "inner", 0);
    uint32_t bare = make_frame(profile, module, "bare", 0x200), unknown = make_frame(profile, module, "odd", 0x300);
    add_line(profile, main, inner, "/home/someone/project/include/inner.h", 12);
    add_line(profile, main, main, "/home/someone/project/main.c", 7);
    add_line(profile, unknown, unknown, "/home/someone/project/main.c", 0);
    ADD_STACK(profile, thread, -1, 60, 600000000, main);
    ADD_STACK(profile, thread, -1, 30, 300000000, bare, main);
    ADD_STACK(profile, thread, -1, 5, 50000000, unknown, unknown);
    ADD_STACK(profile, thread, 0, 5, 50000000, bare, main);
    char *text = flat(profile, (struct report_options){.by = REPORT_BY_LINE, .width = 64});
    char *part = part_of(text, "samples  CPU");
    ck_assert_str_eq(part, "samples  CPU s    self   total  line                    function\n"
                           "     60  0.600   60.0%   95.0%  .../include/inner.h:12  inner\n"
                           "     30  0.300   30.0%   35.0%  [no line]               bare\n"
                           "      5  0.050    5.0%    5.0%  .../project/main.c      odd\n"
                           "      5  0.050    5.0%    5.0%  [read]                  [kernel]\n"
                           "      0  0.000    0.0%   95.0%  .../project/main.c:7    main\n"
                           "    100  1.000  100.0%          total\n");
    free(part);
    free(text);
    profile_free(profile);
}
END_TEST

/* Running and waiting are separate columns; together they are a row's self time. */
static const struct {
    enum report_by by;
    const char *table;
} waiting[] = {
    {REPORT_BY_FUNCTION, "samples  wall s    self   total   user  system  waiting  function                module\n"
                         "      1   3.604   44.6%   44.6%  0.000   0.004    3.600  [wait4] main: __wait3   [kernel]\n"
                         "    311   3.110   38.5%   51.1%  3.110   0.000    0.000  walk_tree_..._node*>*)  cc1\n"
                         "      0   0.700    8.7%    8.7%  0.000   0.000    0.700  [runnable]              [kernel]\n"
                         "     32   0.321    4.0%    4.0%  0.321   0.000    0.000  ht_lookup_with_hash     cc1\n"
                         "      7   0.200    2.5%    2.5%  0.000   0.068    0.132  [read] main             [kernel]\n"
                         "      9   0.090    1.1%    1.1%  0.090   0.000    0.000  __memmove_...gned_erms  libc.so.6\n"
                         "      0   0.045    0.6%    0.6%      -       -    0.040  [unsampled]\n"
                         "      1   0.009    0.1%    0.1%  0.000   0.009    0.000  [syscall_9999] main...  [kernel]\n"
                         "      0   0.000    0.0%   46.2%  0.000   0.000    0.000  main                    cc1\n"
                         "      0   0.000    0.0%   44.6%  0.000   0.000    0.000  __wait3                 libc.so.6\n"
                         "      0   0.000    0.0%   44.6%  0.000   0.000    0.000  main                    dash\n"
                         "      0   0.000    0.0%    2.6%  0.000   0.000    0.000  read                    libc.so.6\n"
                         "    361   8.079  100.0%          3.521   0.081    4.472  total\n"},
    {REPORT_BY_PROCESS, "samples  wall s    self   user  system  waiting  unsampled  process  pid\n"
                        "      1   3.606   44.6%  0.000   0.004    3.600      0.002  sh       4100    #############\n"
                        "    251   3.254   40.3%  2.511   0.000    0.740      0.003  cc1      4101.1  ############\n"
                        "    109   1.219   15.1%  1.010   0.077    0.132      0.000  cc1      4102.1  ####\n"
                        "      0   0.000    0.0%  0.000   0.000    0.000      0.000  old      4103\n"
                        "    361   8.079  100.0%  3.521   0.081    4.472      0.005  total\n"},
    {REPORT_BY_SYSCALL, "samples  wall s    self   user  system  waiting  system call\n"
                        "      1   3.604   44.6%  0.000   0.004    3.600  [wait4]         ########################\n"
                        "    352   3.521   43.6%  3.521   0.000    0.000  (user code)     ########################\n"
                        "      0   0.700    8.7%  0.000   0.000    0.700  [runnable]      #####\n"
                        "      7   0.200    2.5%  0.000   0.068    0.132  [read]          #\n"
                        "      0   0.045    0.6%      -       -    0.040  [unsampled]\n"
                        "      1   0.009    0.1%  0.000   0.009    0.000  [syscall_9999]\n"
                        "    361   8.079  100.0%  3.521   0.081    4.472  total\n"},
};

START_TEST(waiting_is_shown_apart)
{
    struct profile *profile = make_waiting_example();
    struct report_options options = {.by = waiting[_i].by, .width = 90, .verbose = true};
    char *text = flat(profile, options), *part = part_of(text, "samples  wall");
    ck_assert_ptr_nonnull(strstr(text, "3.61 s running and 4.47 s waiting, 3.70 s elapsed"));
    ck_assert_ptr_nonnull(strstr(text, "at 100 Hz of wall time"));
    ck_assert_ptr_nonnull(strstr(text, "12 scans of waiting threads skipped"));
    ck_assert_str_eq(part, waiting[_i].table);
    free(part);
    free(text);
    profile_free(profile);
}
END_TEST

/* A narrow terminal has one column for running time, so that names have space. */
START_TEST(a_narrow_table_of_waiting)
{
    struct profile *profile = make_waiting_example();
    struct report_options options = {.by = REPORT_BY_FUNCTION, .width = 80, .max_rows = 2};
    char *text = flat(profile, options), *part = part_of(text, "samples  wall");
    ck_assert_str_eq(part, "samples  wall s    self   total  running  waiting  function             module\n"
                           "      1   3.604   44.6%   44.6%    0.004    3.600  [wait4] main: __...  [kernel]\n"
                           "    311   3.110   38.5%   51.1%    3.110    0.000  walk_tre...node*>*)  cc1\n"
                           "     49   1.365   16.9%            0.488    0.872  (10 others)\n"
                           "    361   8.079  100.0%            3.602    4.472  total\n");
    free(part);
    free(text);
    profile_free(profile);
}
END_TEST

START_TEST(around_the_table_is_what_ran_and_how)
{
    struct profile *profile = make_example();
    struct report_options options = REPORT_OPTIONS_DEFAULT;
    options.min_percent = 0;
    char *text = flat(profile, options);
    const char *head = "sh -c 'gcc -O2 -c a.c && gcc -O2 -c b.c'\n"
                       "3.61 s of CPU time, 3.70 s elapsed, 361 samples, 4 processes and execs\n\n";
    ck_assert_mem_eq(text, head, strlen(head));
    char *part = part_of(text, "samples  CPU s    self  process");
    ck_assert_str_eq(part, "samples  CPU s    self  process  pid\n"
                           "    251  2.514   69.7%  cc1      4101.1  ########################\n"
                           "    109  1.087   30.1%  cc1      4102.1  ##########\n"
                           "      1  0.006    0.2%  sh       4100\n"
                           "      0  0.000    0.0%  old      4103\n"
                           "    361  3.607  100.0%  total\n");
    free(part);
    ck_assert_ptr_nonnull(strstr(text, "\n\nnot sampled: 4103 old: 32-bit program\n"));
    free(text);
    profile_free(profile);
}
END_TEST

START_TEST(rows_that_are_left_out_are_added_up)
{
    struct profile *profile = make_example();
    struct report_options options = {.max_rows = 3, .min_percent = 5};
    char *text = flat(profile, options), *part = part_of(text, "samples  CPU");
    ck_assert_ptr_nonnull(strstr(part, "     32  0.321    8.9%    8.9%  0.321   0.000  ht_lookup_with_hash"));
    ck_assert_ptr_nonnull(strstr(part, "     18  0.176    4.9%          0.090   0.081  (8 others: -n all shows them)\n"
                                       "    361  3.607  100.0%          3.521   0.081  total\n"));
    ck_assert_ptr_null(strstr(part, "[read]"));
    free(part);
    free(text);
    profile_free(profile);
}
END_TEST

/* On a screen, the table leaves out functions without self time, except in the order of totals. */
START_TEST(a_screen_shows_what_has_time_of_its_own)
{
    struct profile *profile = make_example();
    struct report_options options = REPORT_OPTIONS_DEFAULT;
    options.width = 0;
    char *text = flat(profile, options), *part = part_of(text, "samples  CPU");
    ck_assert_msg(strstr(part, "  walk_tree_1") && strstr(part, "  [read] "), "%s", part);
    ck_assert_msg(!strstr(part, "  main ") && !strstr(part, "  read "), "%s", part);
    ck_assert_ptr_nonnull(strstr(part, "  (7 others: -n all shows them)\n"));
    free(part);
    free(text);
    options.sort = REPORT_SORT_TOTAL;
    text = flat(profile, options);
    part = part_of(text, "samples  CPU");
    ck_assert_msg(strstr(part, "  main ") && strstr(part, "  read "), "%s", part);
    ck_assert_ptr_nonnull(strstr(part, " others: -n all shows them)\n"));
    free(part);
    free(text);
    profile_free(profile);
}
END_TEST

START_TEST(rows_are_sorted_by_total_when_asked)
{
    struct profile *profile = make_example();
    struct report_options options = {.sort = REPORT_SORT_TOTAL, .max_rows = 3, .color = true};
    char *text = flat(profile, options);
    const char *main = strstr(text, "  0.0%   \033[1m99.8%\033[0m  0.000   0.000  main"),
               *walk = strstr(text, " 86.2%   \033[1m95.1%\033[0m  3.110   0.000  walk_tree");
    ck_assert_msg(main && walk && main < walk, "%s", text);
    free(text);
    options.by = REPORT_BY_PROCESS; /* has no totals */
    text = flat(profile, options);
    ck_assert_msg(strstr(text, "  \033[1m69.7%\033[0m") != NULL, "%s", text);
    free(text);
    profile_free(profile);
}
END_TEST

/* The number of rows that fit. The profile has 12 rows, and 4 process images with a table of their own. */
static const struct {
    struct report_options options;
    unsigned others; /* of the first table */
} heights[] = {
    {{.height = 5}, 2},  /* ten at least */
    {{.height = 28}, 0}, /* eleven would fit, but a single other row is shown, too */
    {{.height = 27}, 2},  {{.height = 60}, 0}, {{.height = 5, .max_rows = 4}, 8}, /* an explicit number is used */
    {{.max_rows = 9}, 3}, {{.height = 0}, 0},  {{.height = 5, .sort = REPORT_SORT_TOTAL, .max_rows = 1}, 11},
};

START_TEST(a_terminal_holds_the_table)
{
    struct profile *profile = make_example();
    uint32_t thread = profile->samples[0].thread, module = make_module(profile, "/bin/more", 0, 100);
    ADD_STACK(profile, thread, -1, 1, 1, make_frame(profile, module, "more", 1));
    char *text = flat(profile, heights[_i].options), *part = part_of(text, "samples  CPU");
    const char *others = strstr(part, " others: -n all shows them)");
    while (others && *others != '(')
        others--;
    unsigned long count = others ? strtoul(others + 1, NULL, 10) : 0;
    ck_assert_msg(count == heights[_i].others, "%s", part);
    free(part);
    free(text);
    profile_free(profile);
}
END_TEST

/* Shares of a part are relative to the whole, but rows are omitted by their share of the part. */
START_TEST(a_part_is_shown_beside_the_whole)
{
    static char comm[] = "--comm=sh", more[] = "--comm=cc1",
                focus[] = "--focus=\033^x", *const filters[] = {comm, more, focus};
    struct profile *profile = make_example();
    uint64_t ns = profile_ns(profile), left_ns[] = {50 * ns, 50 * ns, ns};
    profile->whole_ns = 100 * ns;
    profile->left_ns = memcpy(made_room(NULL, 1, sizeof left_ns), left_ns, sizeof left_ns);
    struct report_options options = {.filters = filters, .filter_count = 3, .min_percent = 50, .max_rows = 5};
    char *text = flat(profile, options);
    ck_assert_msg(strstr(text, "processes and execs\n--comm=sh --comm=cc1: 50.0 % of 360.7 s\n"
                               "and --focus=\\x1b^x: 1.0 % of 360.7 s\n\nsamples"),
                  "%s", text);
    ck_assert_msg(strstr(text, "    311  3.110  0.9%   1.0%  3.110   0.000  walk_tree"), "%s", text);
    ck_assert_msg(strstr(text, "    361  3.607  1.0%         3.521   0.081  total\n"), "%s", text);
    free(text);
    profile_free(profile);
}
END_TEST

START_TEST(nothing_is_a_table_without_rows)
{
    struct profile *profile = make_profile(NULL);
    char *text = flat(profile, REPORT_OPTIONS_DEFAULT);
    ck_assert_str_eq(text, "0 s of CPU time, 0 samples\n\n"
                           "samples  CPU ms  self  total   user  system  function  module\n"
                           "      0   0.000  0.0%         0.000   0.000  total\n");
    free(text);
    profile_free(profile);
}
END_TEST

static struct profile *make_hostile(void)
{
    static const char bad[] = "\033]0;x\a\n\x9b\xff\xc3(\xe2\x80\xae\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2 long "
                              "\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x80 enough";
    struct profile *profile = make_profile(bad);
    uint32_t process = make_process(profile, 1, 0, bad), other = make_process(profile, 2, 0, bad);
    uint32_t thread = make_thread(profile, process, 1, bad);
    uint32_t module = make_module(profile, bad, 0, 100);
    ADD_STACK(profile, thread, -1, 1, 10000000, make_frame(profile, module, bad, 1));
    add_unsampled(profile, other, 10);
    profile->processes[other].not_sampled = "a reason";
    return profile;
}

/* With any names, width and options, the output is plain text, and valid UTF-8. */
START_TEST(hostile_names_write_no_controls)
{
    struct profile *profile = make_hostile();
    for (unsigned width = 0; width < 130; width++)
        for (enum report_by by = REPORT_BY_FUNCTION; by <= REPORT_BY_SYSCALL; by++) {
            struct report_options options = {.by = by, .width = width, .utf8 = _i};
            char *text = flat(profile, options);
            struct buffer clean = {0};
            for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
                clean.length = 0;
                text_clean(&clean, line, _i);
                ck_assert_str_eq(clean.bytes, line);
            }
            buffer_fini(&clean);
            free(text);
        }
    profile_free(profile);
}
END_TEST

START_TEST(tables_keep_to_the_width)
{
    struct profile *profiles[] = {make_example(), make_hostile()};
    for (unsigned width = 70; width < 200; width++)
        for (enum report_by by = REPORT_BY_FUNCTION; by <= REPORT_BY_SYSCALL; by++) {
            struct report_options options = {.by = by, .width = width, .utf8 = true};
            char *text = flat(profiles[_i], options), *part = part_of(text, "samples  CPU");
            for (char *line = strtok(part, "\n"); line; line = strtok(NULL, "\n"))
                ck_assert_uint_le(text_columns(line), width);
            free(part);
            free(text);
        }
    profile_free(profiles[0]);
    profile_free(profiles[1]);
}
END_TEST

START_TEST(colors_only_when_asked_for)
{
    struct profile *profile = make_example();
    struct report_options options = REPORT_OPTIONS_DEFAULT;
    char *text = flat(profile, options);
    ck_assert_ptr_null(strchr(text, '\033'));
    free(text);
    options.color = true;
    text = flat(profile, options);
    ck_assert_ptr_nonnull(strstr(text, "\033[1m86.2%\033[0m"));
    free(text);
    profile_free(profile);
}
END_TEST

START_TEST(a_full_disk_is_reported)
{
    struct profile *profile = make_example();
    struct report_options options = REPORT_OPTIONS_DEFAULT;
    FILE *stream = fopen("/dev/full", "w");
    ck_assert_ptr_nonnull(stream);
    ck_assert_int_eq(report_flat_write(profile, &options, stream), -ENOSPC);
    fclose(stream);
    profile_free(profile);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("report/flat");
    tcase_set_timeout(tests, 60);
    UNIT_ADD_TABLE(tests, tables_are_as_shown, tables);
    UNIT_ADD_TABLE(tests, waiting_is_shown_apart, waiting);
    tcase_add_test(tests, lines_are_rows);
    tcase_add_test(tests, a_narrow_table_of_waiting);
    tcase_add_test(tests, around_the_table_is_what_ran_and_how);
    tcase_add_test(tests, rows_that_are_left_out_are_added_up);
    tcase_add_test(tests, a_screen_shows_what_has_time_of_its_own);
    tcase_add_test(tests, rows_are_sorted_by_total_when_asked);
    UNIT_ADD_TABLE(tests, a_terminal_holds_the_table, heights);
    tcase_add_test(tests, a_part_is_shown_beside_the_whole);
    tcase_add_test(tests, nothing_is_a_table_without_rows);
    tcase_add_loop_test(tests, hostile_names_write_no_controls, 0, 2);
    tcase_add_loop_test(tests, tables_keep_to_the_width, 0, 2);
    tcase_add_test(tests, colors_only_when_asked_for);
    tcase_add_test(tests, a_full_disk_is_reported);
    return unit_end();
}
