/* SPDX-License-Identifier: MIT */
#include "cli/top_options.h"

#include "cli/getopt_error.h"
#include "text/limit_options.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>

enum { DEFAULT_SECONDS = 5, DEFAULT_ROWS = 20, MOST_SECONDS = 60 };

static const char help[] =
    "Usage: ptprofil top [OPTIONS] -p PID[,PID...]\n"
    "       ptprofil top [OPTIONS] [--] CMD [ARG...]\n"
    "\n"
    "Shows on the whole screen where the CPU time goes now: of the last seconds, and of all since the beginning. Keys\n"
    "sort, filter, pause, look into a function's callers and callees, and write what is seen; ? lists them. Without a\n"
    "terminal a table is printed each interval: on standard output, with CMD on standard error.\n"
    "\n"
    "  -p, --pid=PID[,PID...]  processes that run already, with all that they have started; 'a*' is all called so\n"
    "      --name=NAME         all processes of that name, which may be a pattern ('php-fpm*')\n"
    "      --cgroup=PATH       all processes of a control group\n"
    "      --container=ID      all processes of a container\n"
    "      --interval=SEC      show figures of the last SEC seconds, 1 to 60 (default 5), beside those of all;\n"
    "                          without a terminal, print a table each SEC seconds\n"
    "      --by=WHAT           what is shown first: function (default), thread, process, waiting (with --clock=wall)\n"
    "      --sort=TIME         by self (default), or by total: with what it called\n"
    "  -n, --rows=ROWS         most rows of a table, or 'all' (default 20); the screen has as many as it holds\n"
    "      --names=FORM        names of functions: short (default; without the arguments of templates and\n"
    "                          parameters) or full\n"
    "  -F, --rate=HZ           samples a second of CPU time, 1 to 20000; also --freq=HZ. auto (default): 1000 Hz for\n"
    "                          the first 0.3 s of CPU time, 200 Hz up to 10 s, 100 Hz up to a minute, then 50 Hz\n"
    "      --clock=CLOCK       which time is sampled: cpu (default), or wall: where threads wait is shown, too\n"
    "  -d, --duration=SEC      sample for SEC seconds\n"
    "      --command-output=FILE  write CMD's standard output and error to FILE; by default, those that are the\n"
    "                          terminal go to /dev/null while the screen is in use\n"
    "      --stacks=HOW        how stacks are unwound: dwarf (default; by unwind tables), fp (frame pointers), none\n"
    "      --stack-bytes=N     most of a stack that is copied, 1024 to 4194304\n"
    "      --no-follow         sample CMD or PID alone, not what it starts or has started\n"
    "      --max-overhead=PCT  slow down when stops take more of the running time than this (default 25);\n"
    "                          'off': never\n"
    "      --max-memory=SIZE   keep fewer frames of new stacks when they take more than this (default 256M);\n"
    "                          'off': never\n"
    "  -h, --help              print this text\n"
    "\n"
    "q leaves, and so does Ctrl-C with -p: what was profiled goes on. With CMD, q ends profiling, and ptprofil\n"
    "waits for CMD; Ctrl-C is for CMD. Exit status: CMD's, or 0; 125 if ptprofil itself failed, 126 if CMD cannot be\n"
    "executed, 127 if it is not found.\n"
    "ptprofil-top(1) tells the rest.\n";

enum { OPTION_INTERVAL = 1024, OPTION_COMMAND_OUTPUT };

static const char short_options[] = "+:n:o:F:d:p:qvh";

static const struct option long_options[] = {
    SAMPLING_OPTIONS,
    {"interval", required_argument, NULL, OPTION_INTERVAL},
    {"by", required_argument, NULL, OUTPUT_BY},
    {"sort", required_argument, NULL, OUTPUT_SORT},
    {"rows", required_argument, NULL, 'n'},
    {"names", required_argument, NULL, OUTPUT_NAMES},
    {"command-output", required_argument, NULL, OPTION_COMMAND_OUTPUT},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static const struct getopt_set set = {"ptprofil top", short_options, long_options};

static int take_by(struct options *options, const char *name, struct error *error)
{
    static const char *const names[] = {[VIEW_FUNCTIONS] = "function",
                                        [VIEW_THREADS] = "thread",
                                        [VIEW_PROCESSES] = "process",
                                        [VIEW_WAITING] = "waiting"};
    enum report_by other;
    for (enum view_by by = VIEW_FUNCTIONS; by < VIEWS; by++)
        if (!strcmp(name, names[by])) {
            options->top.by = by;
            return 0;
        }
    return error_set(error, EINVAL, "--by: '%s' is not one of function, thread, process, waiting%s", name,
                     report_by_find(name, &other) ? "; 'ptprofil' and 'ptprofil report' have it" : "");
}

static int take(struct options *options, int option, char **argv, struct error *error)
{
    switch (option) {
    case OUTPUT_BY:
        return take_by(options, optarg, error);
    case OPTION_INTERVAL:
        return limit_whole("--interval", optarg, 1, MOST_SECONDS, ": seconds", &options->top.seconds, error);
    case OPTION_COMMAND_OUTPUT:
        options->top.command_output = optarg;
        return 0;
    case 'o':
        return error_set(error, EINVAL,
                         "-o is one of 'ptprofil', not of 'ptprofil top', which writes a file when W is pressed");
    case 'q':
    case 'v':
        return error_set(error, EINVAL, "-%c is one of 'ptprofil', not of 'ptprofil top'", option);
    default:
        return options_take(options, option, argv, &set, error);
    }
}

static int check(struct options *options, int argc, char **argv, struct error *error)
{
    if (options->top.by == VIEW_WAITING && !options->wall)
        return error_set(error, EINVAL,
                         "--by=waiting: add --clock=wall, without which threads that wait are not sampled");
    if (!options->targets.count && optind >= argc)
        return error_set(error, EINVAL, "nothing to show; say: ptprofil top [OPTIONS] -p PID, or a command");
    int result = options_take_command(options, argc, argv, error);
    if (!result && options->top.command_output && !options->command)
        return error_set(error, EINVAL, "--command-output is for a command that top runs, not for -p");
    return result;
}

int top_options_parse(struct options *options, int argc, char **argv, struct error *error)
{
    int option, result = 0;
    options->action = OPTIONS_TOP;
    options->help = help;
    options->top.seconds = DEFAULT_SECONDS;
    options->output.rows = DEFAULT_ROWS;
    options->quiet = true; /* what is shown says it all */
    opterr = 0;
    while (!result && options->action == OPTIONS_TOP &&
           (option = getopt_long(argc, argv, short_options, long_options, NULL)) != -1)
        result = take(options, option, argv, error);
    return result || options->action != OPTIONS_TOP ? result : check(options, argc, argv, error);
}
