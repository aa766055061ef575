/* SPDX-License-Identifier: MIT */
#include "front/cli/options.h"

#include "common/base/error.h"
#include "common/model/rate.h"
#include "unit.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>
#include <unistd.h>

enum { MOST_WORDS = 6 };

static int parse(struct options *options, const char *const *words, struct error *error)
{
    static char *argv[MOST_WORDS + 3];
    memset(argv, 0, sizeof argv);
    argv[0] = (char *)(uintptr_t) "ptprofil";
    argv[1] = (char *)(uintptr_t) "top";
    int argc = 2;
    for (; argc - 2 < MOST_WORDS && words[argc - 2]; argc++)
        argv[argc] = (char *)(uintptr_t)words[argc - 2];
    optind = 0;
    return options_parse(options, argc, argv, error);
}

static const struct {
    const char *words[MOST_WORDS], *error; /* a part of it */
} refused[] = {
    {{0}, "nothing to show"},
    {{"-p"}, "needs an argument"},
    {{"-p", "1", "true"}, "not both"},
    {{"-o", "x.txt", "true"}, "there is no option '-o': press W to write a file"},
    {{"--output=x.txt", "true"}, "there is no option '--output': press W to write a file"},
    {{"-v", "true"}, "'-v' is an option of 'ptprofil' and 'ptprofil report', not of 'ptprofil top'"},
    {{"-g", "true"}, "there is no option '-g': stacks are always recorded"},
    {{"--wall", "true"}, "use --clock=wall"},
    {{"--impose=profil", "true"}, "'--impose' is an option of 'ptprofil', not of 'ptprofil top'"},
    {{"--focus=x", "true"}, "'--focus' is an option of 'ptprofil' and 'ptprofil report', not of 'ptprofil top'"},
    {{"--calls=on", "true"}, "'--calls' is an option of 'ptprofil', not of 'ptprofil top'"},
    {{"--by=module", "true"},
     "not one of function, thread, process, waiting; it is for 'ptprofil' and 'ptprofil report'"},
    {{"--by=x", "true"}, "not one of function, thread, process, waiting"},
    {{"--by=waiting", "true"}, "add --clock=wall"},
    {{"--interval=0", "true"}, "1 to 60"},
    {{"--interval=61", "true"}, "1 to 60"},
    {{"--interval=2m", "true"}, "1 to 60"},
    {{"--interval=x", "true"}, "1 to 60"},
    {{"--interval=1.5", "true"}, "part of a second"},
    {{"--command-output=x", "-p", "1"}, "not for -p"},
    {{"--intervall=3", "true"}, "did you mean --interval?"},
};

START_TEST(invalid_options_are_refused)
{
    struct options options;
    struct error error = {0};
    ck_assert_int_eq(parse(&options, refused[_i].words, &error), -EINVAL);
    ck_assert_msg(strstr(error.text, refused[_i].error) != NULL, "%s", error.text);
    options_fini(&options);
}
END_TEST

START_TEST(defaults)
{
    const char *const words[MOST_WORDS] = {"true", "-p"};
    struct options options;
    struct error error = {0};
    ck_assert_int_eq(parse(&options, words, &error), 0);
    ck_assert_int_eq(options.action, OPTIONS_TOP);
    ck_assert_str_eq(options.session.command[0], "true");
    ck_assert_str_eq(options.session.command[1], "-p"); /* an option of the command, not of ptprofil */
    ck_assert_uint_eq(options.top.seconds, 5);
    ck_assert_uint_eq(options.output.rows, 20);
    ck_assert_uint_eq(options.session.rate, RATE_AUTO);
    ck_assert_int_eq(options.top.by, VIEW_FUNCTIONS);
    options_fini(&options);
}
END_TEST

START_TEST(all_of_them)
{
    const char *const words[MOST_WORDS] = {"--interval=1m", "--by=waiting", "--clock=wall",
                                           "-nall",         "--sort=total", "true"};
    struct options options;
    struct error error = {0};
    ck_assert_int_eq(parse(&options, words, &error), 0);
    ck_assert_uint_eq(options.top.seconds, 60);
    ck_assert_uint_eq(options.output.rows, 0);
    ck_assert_int_eq(options.output.sort, REPORT_SORT_TOTAL);
    ck_assert_int_eq(options.top.by, VIEW_WAITING);
    ck_assert(options.session.wall);
    options_fini(&options);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("cli/top_options");
    UNIT_ADD_TABLE(tests, invalid_options_are_refused, refused);
    tcase_add_test(tests, defaults);
    tcase_add_test(tests, all_of_them);
    return unit_end();
}
