/* SPDX-License-Identifier: MIT */
#include "cli/report_options.h"

#include "base/buffer.h"
#include "cli/filter_options.h"
#include "cli/options.h"

#include <errno.h>
#include <getopt.h>

static const char help[] =
    "Usage: ptprofil report [OPTIONS] FILE...\n"
    "\n"
    "Shows stored profiles: files that were written by 'ptprofil -o FILE.pb.gz', or by other programs in the "
    "format\n"
    "of pprof; '-' is standard input. Several are added up.\n"
    "\n"
    "  -o, --output=FILE    write to FILE, in the format of its ending, as for 'ptprofil record'; may be "
    "repeated;\n"
    "                       '-' is standard output, where else a table goes\n"
    "      --format=NAME    format of the next -o: flat, tree, folded, pprof, html, speedscope, firefox, callgrind,\n"
    "                       json, csv, perf-script, annotate, gmon\n"
    "      --by=WHAT        rows of the flat profile: function (default), module, process, program, command,\n"
    "                       thread, line, syscall\n"
    "      --sort=TIME      order of its rows: by self (default), or by total, that with what it called\n"
    "  -n, --rows=ROWS      its most rows, or 'all' (default: what the terminal holds, 40 without one, and all in\n"
    "                       files)\n"
    "      --names=FORM     names of functions, short (without the arguments of templates and parameters) or full:\n"
    "                       by default short in flat, tree, annotate, html and speedscope, full in other formats\n"
    "      --no-inlines     no inlined calls: their time is that of the function that they were inlined into\n"
    "      --bottom-up      trees begin where the time was spent, not where threads began\n"
    "      --callers=REGEX, --callees=REGEX\n"
    "                       a tree of who called the functions that match, of what they called\n"
    "      --annotate=FUNCTION\n"
    "                       its source, line by line with shares of the time, and its instructions; FUNCTION is\n"
    "                       a name or a regular expression: the hottest that matches is shown, -n ROWS shows more\n"
    "      --sysroot=DIR    where --annotate finds the files of a container or an image: below DIR\n"
    "      --min=PERCENT    leave out what is smaller: branches of a tree (default on the screen: 1), rows,\n"
    "                       lines of the source\n"
    "      --diff=BASE      show how the profile differs from the stored profile BASE (flat, folded, html, pprof,\n"
    "                       json, csv)\n"
    "      --fail-if='REGEX > 5%'  end with status 1 if functions that match, with what they call, have more than 5 %\n"
    "                       of the time, and say so; 'self:REGEX > 5%': without what they call; '<': less\n"
    "      --fail-if-diff='REGEX > +10%'  the same if they have more than 10 % more time than in BASE\n"
    "\n"
    "Only the samples that fit all of these (each may be repeated: one of its values must fit):\n"
    "      --focus=REGEX    a function on the stack matches the extended regular expression\n"
    "      --ignore=REGEX   none does\n"
    "      --pid=PID[,PID...], --tid=TID[,TID...]\n"
    "                       of these processes, of these threads\n"
    "      --comm=NAME      the process, or the thread, is called so; NAME may be a pattern ('pool-*')\n"
    "      --module=NAME    running in that file (a path, its last part, or a pattern), or in [kernel]: a system call\n"
    "      --between=FROM..TO  taken between these times since the beginning, such as 3s..5s or 1.5m.., or marks;\n"
    "                       of a wait, the part that lies there\n"
    "\n"
    "  -v, --verbose        tell how good the recording was: samples of those due, what a stop took\n"
    "  -h, --help           print this text\n"
    "\n"
    "ptprofil-report(1) tells the rest.\n";

const char *report_options_help(void)
{
    return help;
}

void report_options_fini(struct report_command *command)
{
    output_options_fini(&command->output);
    filter_fini(&command->filter);
}

enum { OPTION_DIFF = 256, OPTION_FAIL_IF_DIFF };

static const char short_options[] = ":" OUTPUT_SHORT_OPTIONS "vh";

static const struct option long_options[] = {
    OUTPUT_OPTIONS,
    {"diff", required_argument, NULL, OPTION_DIFF},
    {"fail-if-diff", required_argument, NULL, OPTION_FAIL_IF_DIFF},
    FILTER_OPTIONS,
    {"pid", required_argument, NULL, FILTER_PID},
    {"verbose", no_argument, NULL, 'v'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

const struct getopt_set report_options_set = {"ptprofil report", short_options, long_options};

static int parse_diff(struct report_command *command, const char *path, struct error *error)
{
    if (command->base)
        return error_set(error, EINVAL, "--diff: one profile to compare with, not two ('%s', '%s')", command->base,
                         path);
    command->base = path;
    return 0;
}

static int parse_one(struct report_command *command, int option, char **argv, struct error *error)
{
    if (output_options_has(option))
        return output_options_take(&command->output, option, optarg, error);
    if (filter_options_has(option))
        return filter_options_take(&command->filter, option, optarg, error);
    switch (option) {
    case OPTION_FAIL_IF_DIFF:
        return budgets_add(&command->output.budgets, "--fail-if-diff", optarg, true, error);
    case OPTION_DIFF:
        return parse_diff(command, optarg, error);
    case 'v':
        command->output.verbose = true;
        return 0;
    case 'h':
        command->help = true;
        return 0;
    default:
        return getopt_error(option, argv, &report_options_set, &options_set, error);
    }
}

/* FORMAT, which WHAT ends the words about, is to show a difference, and not every one can. */
static int check_format(const struct report_format *format, const char *what, struct error *error)
{
    struct buffer list = {0};
    if (!format || format->compares)
        return 0;
    for (const struct report_format *other = report_formats; other->name; other++)
        if (other->compares)
            buffer_printf(&list, "%s%s", list.length ? ", " : "", other->name);
    error_set(error, EINVAL, "--diff: '%s' cannot be written, as %s shows no differences; those that do are %s", what,
              format->name, list.bytes ? list.bytes : "?");
    buffer_fini(&list);
    return -EINVAL;
}

static int check_formats(const struct report_command *command, struct error *error)
{
    const struct output_options *output = &command->output;
    int result = command->base ? check_format(output->on_screen, "standard output", error) : 0;
    for (size_t i = 0; command->base && i < output->count && !result; i++)
        result = check_format(output->items[i].format, output->items[i].path, error);
    return result;
}

int report_options_parse(struct report_command *command, int argc, char **argv, struct error *error)
{
    int option;

    opterr = 0;
    while ((option = getopt_long(argc, argv, short_options, long_options, NULL)) != -1) {
        int result = parse_one(command, option, argv, error);
        if (result < 0 || command->help)
            return result;
    }
    enum output_screen screen = command->output.count ? OUTPUT_NO_SCREEN : OUTPUT_STANDARD_OUTPUT;
    if (output_options_check(&command->output, screen, error) < 0 || check_formats(command, error) < 0)
        return -EINVAL;
    if (budgets_need_base(&command->output.budgets) && !command->base)
        return error_set(error, EINVAL, "--fail-if-diff: say what to compare with: --diff=BASE");
    if (optind >= argc)
        return error_set(error, EINVAL, "no profile to show; say: ptprofil report %s FILE...",
                         command->base ? "--diff=BASE" : "[OPTIONS]");
    command->files = argv + optind;
    return 0;
}
