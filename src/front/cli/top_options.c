/* SPDX-License-Identifier: MIT
 *
 * Options that only `ptprofil top` has. */
#include "common/base/error.h"
#include "front/cli/options.h"

#include <errno.h>
#include <getopt.h>

#define NS_IN_S UINT64_C(1000000000)

enum { DEFAULT_SECONDS = 5, LONGEST_INTERVAL = 60, DEFAULT_ROWS = 20 };

int top_take_interval(struct options *options, const struct option_given *given)
{
    uint64_t ns;
    int result = option_duration(given, NS_IN_S, LONGEST_INTERVAL * NS_IN_S, "1 to 60 whole seconds", &ns);
    if (result < 0)
        return result;
    if (ns % NS_IN_S)
        return option_refuse(given, "'%s' has a part of a second", given->text);
    options->top.seconds = (uint32_t)(ns / NS_IN_S);
    return 0;
}

void top_options_begin(struct options *options)
{
    options->top.seconds = DEFAULT_SECONDS;
    options->top.by = VIEWS; /* not given */
    options->output.rows = DEFAULT_ROWS;
    options->session.quiet = true; /* the screen replaces all other output */
}

int top_options_finish(struct options *options, int argc, char **argv, struct error *error)
{
    if (options->top.by == VIEWS)
        options->top.by = options->session.wall ? VIEW_WAITING : VIEW_FUNCTIONS;
    if (options->top.by == VIEW_WAITING && !options->session.wall)
        return error_set(error, EINVAL,
                         "--by=waiting: add --clock=wall, without which threads that wait are not sampled");
    if (!options->session.targets.count && optind >= argc)
        return error_set(error, EINVAL, "nothing to show; say: ptprofil top [OPTIONS] -p PID, or a command");
    int result = options_take_command(options, argc, argv, error);
    if (!result && options->top.command_output && !options->session.command)
        return error_set(error, EINVAL, "--command-output is for a command that top runs, not for -p");
    return result;
}
