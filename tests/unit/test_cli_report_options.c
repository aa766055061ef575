/* SPDX-License-Identifier: MIT */
#include "front/cli/options.h"

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "front/cli/commands.h"
#include "unit.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ARGUMENTS = 8 };

/* Parses ARGUMENTS, which follow the subcommand's name. */
static int parse(struct options *options, const char *const *arguments, struct error *error)
{
    static char *argv[MOST_ARGUMENTS + 3];
    int argc = 0;
    argv[argc++] = strdup("ptprofil");
    argv[argc++] = strdup("report");
    for (int i = 0; i < MOST_ARGUMENTS && arguments[i]; i++)
        argv[argc++] = strdup(arguments[i]);
    argv[argc] = NULL;
    optind = 0; /* getopt keeps its state between tests if Check does not fork */
    return options_parse(options, argc, argv, error);
}

static void describe_filter(const struct filter *filter, struct buffer *text)
{
    for (size_t i = 0; i < filter->pids.count; i++)
        buffer_printf(text, "pid=%d ", (int)filter->pids.items[i]);
    for (size_t i = 0; i < filter->tids.count; i++)
        buffer_printf(text, "tid=%d ", (int)filter->tids.items[i]);
    for (size_t i = 0; i < filter->comms.count; i++)
        buffer_printf(text, "comm=%s ", filter->comms.items[i]);
    for (size_t i = 0; i < filter->modules.count; i++)
        buffer_printf(text, "module=%s ", filter->modules.items[i]);
    if (filter->focus.count || filter->ignore.count)
        buffer_printf(text, "focus:%zu ignore:%zu ", filter->focus.count, filter->ignore.count);
}

/* Appends OPTIONS as words. */
static void describe(const struct options *options, struct buffer *text)
{
    for (size_t i = 0; i < options->output.count; i++)
        buffer_printf(text, "%s:%s ", options->output.items[i].format->name, options->output.items[i].path);
    if (options->output.by != REPORT_BY_FUNCTION)
        buffer_printf(text, "by=%d ", (int)options->output.by);
    if (options->output.sort != REPORT_SORT_SELF)
        buffer_puts(text, "sort=total ");
    if (options->output.names != REPORT_NAMES_OF_FORMAT)
        buffer_printf(text, "names=%d ", (int)options->output.names);
    if (options->output.rows_given)
        buffer_printf(text, "rows=%zu ", options->output.rows);
    if (options->output.bottom_up)
        buffer_puts(text, "bottom-up ");
    if (options->output.callers.text)
        buffer_printf(text, "callers=%s ", options->output.callers.text);
    if (options->output.callees.text)
        buffer_printf(text, "callees=%s ", options->output.callees.text);
    if (options->output.annotate.text)
        buffer_printf(text, "annotate=%s ", options->output.annotate.text);
    if (options->output.min_given)
        buffer_printf(text, "min=%g ", options->output.min_percent);
    const struct report_format *screen = options->output.on_screen;
    if (!screen || strcmp(screen->name, "flat") != 0)
        buffer_printf(text, "%s ", screen ? screen->name : "none");
    for (size_t i = 0; i < options->output.budgets.count; i++)
        buffer_printf(text, "%s=%s ", options->output.budgets.items[i].option, options->output.budgets.items[i].text);
    if (options->report.base)
        buffer_printf(text, "base=%s ", options->report.base);
    describe_filter(&options->output.filter, text);
    buffer_puts(text, "|");
    for (char **file = options->report.files; *file; file++)
        buffer_printf(text, " %s", *file);
}

static const struct {
    const char *arguments[MOST_ARGUMENTS + 1];
    const char *meaning;
} good[] = {
    {{"a"}, "| a"},
    {{"a", "b", "a"}, "| a b a"},
    {{"-"}, "| -"},
    {{"--", "-x", "--help"}, "| -x --help"},
    {{"a", "-o", "x.txt", "b"}, "flat:x.txt none | a b"},
    {{"-o", "x.folded", "-o", "-", "a"}, "folded:x.folded flat:- none | a"},
    {{"--format=gmon", "-ox", "a"}, "gmon:x none | a"},
    {{"-ox", "--format=gmon", "a"}, "gmon:x none | a"}, /* only one meaning is possible */
    {{"a", "-o", "-", "--format=tree"}, "tree:- none | a"},
    {{"-o", "x.txt", "--format=tree", "a"}, "tree:x.txt none | a"},
    {{"-o", "x", "-o", "y.txt", "--format=tree", "a"}, "tree:x flat:y.txt none | a"},
    {{"-o", "x.txt", "--format=tree", "-o", "y", "a"}, "flat:x.txt tree:y none | a"},
    {{"--by=module", "--bottom-up", "a"}, "by=1 bottom-up tree | a"},
    {{"--sort=total", "--sort=self", "a"}, "| a"},
    {{"--sort=total", "-n", "7", "a"}, "sort=total rows=7 | a"},
    {{"--names=full", "a"}, "names=2 | a"},
    {{"--names=short", "a"}, "names=1 | a"},
    {{"-n5", "--rows=all", "a"}, "rows=0 | a"},
    {{"--bottom-up", "-o", "x.html", "a"}, "html:x.html bottom-up none | a"},
    {{"--open", "a"}, "html:profile.html none | a"},
    {{"--open", "-o", "x.txt", "-o-", "--format=html", "a"}, "flat:x.txt html:- html:profile.html none | a"},
    {{"--open", "-o", "x.html", "--diff=b", "a"}, "html:x.html none base=b | a"},
    {{"--format=tree", "a"}, "tree | a"},
    {{"--format=folded", "a"}, "folded | a"},
    {{"--callers=a|b", "a"}, "callers=a|b tree | a"},
    {{"--callees=^a$", "--format=tree", "-o", "x", "a"}, "tree:x callees=^a$ none | a"},
    {{"--annotate=f", "a"}, "annotate=f annotate | a"},
    {{"--annotate=f", "-n3", "-o", "x.annotate", "a"}, "annotate:x.annotate rows=3 annotate=f none | a"},
    {{"--annotate=f", "--min=3", "--format=annotate", "a"}, "annotate=f min=3 annotate | a"},
    {{"--min=2.5%", "a"}, "min=2.5 | a"},
    {{"--min=0", "-o", "x.tree", "a"}, "tree:x.tree min=0 none | a"},
    {{"--diff=b", "a"}, "base=b | a"},
    {{"--diff", "b", "-o", "x.txt", "-o", "x.folded", "a"}, "flat:x.txt folded:x.folded none base=b | a"},
    {{"--fail-if=f > 5%", "--fail-if", "self:g<1%", "a"}, "--fail-if=f > 5% --fail-if=self:g<1% | a"},
    {{"--fail-if-diff=f > +5%", "--diff=b", "a"}, "--fail-if-diff=f > +5% base=b | a"},
    {{"--pid=1,22,333", "--pid", "4", "a"}, "pid=1 pid=22 pid=333 pid=4 | a"},
    {{"--tid=2147483647", "a"}, "tid=2147483647 | a"},
    {{"--comm=a b", "--comm=c,d", "a"}, "comm=a b comm=c,d | a"},
    {{"--module=libc.so.6", "--module=[kernel]", "a"}, "module=libc.so.6 module=[kernel] | a"},
    {{"--focus=^main$", "--ignore=a|b", "--ignore=(c)", "a"}, "focus:1 ignore:2 | a"},
};

START_TEST(good_command_lines_follow_the_table)
{
    struct options options;
    struct error error = {0};
    struct buffer text = {0};
    ck_assert_msg(parse(&options, good[_i].arguments, &error) == 0, "%s", error.text);
    ck_assert_int_eq(options.action, OPTIONS_REPORT);
    describe(&options, &text);
    ck_assert_str_eq(text.bytes, good[_i].meaning);
    buffer_fini(&text);
    options_fini(&options);
}
END_TEST

static const struct {
    const char *arguments[MOST_ARGUMENTS + 1];
    const char *text; /* a part of the error */
} bad[] = {
    {{NULL}, "no profile to show"},
    {{"-o", "x.txt"}, "no profile to show"},
    {{"-o"}, "'-o' needs an argument; 'ptprofil report --help=all' lists"},
    {{"--diff"}, "'--diff' needs an argument"},
    {{"-F", "100", "a"}, "'-F' is an option of 'ptprofil' and 'ptprofil top', not of 'ptprofil report'"},
    {{"-g", "a"}, "there is no option '-g': stacks are always recorded"},
    {{"--input", "a"}, "name the files without an option"},
    {{"--tree", "a"}, "there is no option '--tree': use --format=tree"},
    {{"-x", "a"}, "unknown option '-x'; 'ptprofil report --help"},
    {{"--rate=100", "a"}, "'--rate' is an option of 'ptprofil' and 'ptprofil top', not of 'ptprofil report'"},
    {{"--focsu=x", "a"}, "unknown option '--focsu=x'; did you mean --focus? 'ptprofil report --help=all'"},
    {{"--fo=x", "a"}, "'--fo=x' is ambiguous: --format, --focus"},
    {{"-o", "x.nonsense", "a"},
     "cannot tell the format from the name 'x.nonsense'; use a known ending or --format=NAME; "
     "formats are flat"},
    {{"--format=nonsense", "-o", "x", "a"}, "there is no format 'nonsense'"},
    {{"--format=pprof", "a"}, "--format=pprof needs a file: add -o FILE"},
    {{"-o", "x", "-o", "-", "--format=tree", "a"}, "--format=tree: which -o is it for?"},
    {{"-o", "x.txt", "-o", "y.txt", "--format=tree", "a"}, "--format=tree: which -o is it for?"},
    {{"--diff=b", "--bottom-up", "a"}, "cannot write 'standard output': the format tree shows no differences"},
    {{"--callers=(", "a"}, "--callers: '(' is not a regular expression: "},
    {{"--callers=a", "--callers=b", "a"}, "--callers can be given once; for several functions use 'a|b'"},
    {{"--annotate=(", "a"}, "--annotate: '(' is not a regular expression: "},
    {{"--annotate=x", "-o", "x.html", "a"}, "--annotate needs the format annotate: add --format=annotate -o FILE"},
    {{"--format=annotate", "a"}, "--format=annotate: say which function: --annotate=FUNCTION"},
    {{"-o", "x.annotate", "a"}, "--format=annotate: say which function: --annotate=FUNCTION"},
    {{"--diff=b", "--annotate=x", "a"}, "cannot write 'standard output': the format annotate shows no differences"},
    {{"--callees=x", "-o", "x.html", "a"}, "--callees needs a tree: add --format=tree -o FILE"},
    {{"--min=1", "-o", "x.html", "a"}, "--min needs a table or a tree"},
    {{"--min=", "a"}, "--min: '' is not a percentage"},
    {{"--min=101", "a"}, "--min: '101' is not"},
    {{"--min=-1", "a"}, "--min: '-1' is not"},
    {{"--min=1e1", "a"}, "--min: '1e1' is not"},
    {{"--min=nan", "a"}, "--min: 'nan' is not"},
    {{"--by=nonsense", "a"}, "is not one of function"},
    {{"--names=long", "a"}, "--names: 'long' is not one of short, full"},
    {{"--sort=time", "a"}, "--sort: 'time' is not one of self, total"},
    {{"-n", "0", "a"}, "-n, --rows: '0' is not a whole number from 1 to 1000000000, or 'all'"},
    {{"--rows=", "a"}, "-n, --rows: ''"},
    {{"--rows=-3", "a"}, "-n, --rows: '-3'"},
    {{"--rows=none", "a"}, "-n, --rows: 'none'"},
    {{"--diff=b", "--diff=c", "a"}, "not with two ('b', 'c')"},
    {{"--diff=b", "-o", "x.callgrind", "a"}, "cannot write 'x.callgrind': the format callgrind shows no differences"},
    {{"--diff=b", "-o", "x.gmon", "a"}, "formats that do are flat, folded"},
    {{"--pid=", "a"}, "--pid: ''"},
    {{"--pid=0", "a"}, "--pid: '0'"},
    {{"--pid=-1", "a"}, "--pid: '-1'"},
    {{"--pid=1,,2", "a"}, "--pid: '1,,2'"},
    {{"--pid=1,", "a"}, "--pid: '1,'"},
    {{"--pid=1x", "a"}, "--pid: '1x'"},
    {{"--tid=2147483648", "a"}, "--tid: '2147483648'"},
    {{"--tid=99999999999999999999", "a"}, "--tid: '9999"},
    {{"--comm=", "a"}, "--comm: a name is missing"},
    {{"--module=", "a"}, "--module: a name is missing"},
    {{"--fail-if=f", "a"}, "--fail-if: 'f' is not of the form '[self:|total:]REGEX > PERCENT%'"},
    {{"--fail-if-diff=f > +5%", "a"}, "--fail-if-diff: say what to compare with: --diff=BASE"},
    {{"--fail-if-diff=f > x", "--diff=b", "a"}, "'[self:|total:]REGEX > +PERCENT%'"},
    {{"--focus=(", "a"}, "--focus: '(' is not a regular expression: "},
    {{"--ignore=[", "a"}, "--ignore: '[' is not a regular expression: "},
};

START_TEST(bad_command_lines_say_what_is_wrong)
{
    struct options options;
    struct error error = {0};
    ck_assert_int_eq(parse(&options, bad[_i].arguments, &error), -EINVAL);
    ck_assert_msg(strstr(error.text, bad[_i].text) != NULL, "%s", error.text);
    options_fini(&options);
}
END_TEST

START_TEST(help_needs_nothing_else)
{
    static const char *const arguments[] = {"--focus=x", "--help", "--nonsense", NULL};
    struct options options;
    struct error error = {0};
    ck_assert_int_eq(parse(&options, arguments, &error), 0);
    ck_assert_int_eq(options.action, OPTIONS_HELP);
    ck_assert_str_eq(options.topic->name, "report");
    options_fini(&options);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("cli/report_options");
    UNIT_ADD_TABLE(tests, good_command_lines_follow_the_table, good);
    UNIT_ADD_TABLE(tests, bad_command_lines_say_what_is_wrong, bad);
    tcase_add_test(tests, help_needs_nothing_else);
    return unit_end();
}
