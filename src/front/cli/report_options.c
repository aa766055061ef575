/* SPDX-License-Identifier: MIT
 *
 * Options that only `ptprofil report` has. */
#include "front/cli/options.h"

#include "common/base/buffer.h"
#include "common/base/error.h"

#include <errno.h>

int report_take_diff(struct options *options, const struct option_given *given)
{
    if (options->report.base)
        return option_refuse(given, "compare with one profile, not with two ('%s', '%s')", options->report.base,
                             given->text);
    options->report.base = given->text;
    return 0;
}

int report_take_fail_if_diff(struct options *options, const struct option_given *given)
{
    return budgets_add(&options->output.budgets, "--fail-if-diff", given->text, true, given->error);
}

/* Checks that FORMAT can show a comparison. WHAT: end of the error message. */
static int check_format(const struct report_format *format, const char *what, struct error *error)
{
    struct buffer list = {0};
    if (!format || format->compares)
        return 0;
    for (const struct report_format *other = report_formats; other->name; other++)
        if (other->compares)
            buffer_printf(&list, "%s%s", list.length ? ", " : "", other->name);
    error_set(error, EINVAL, "--diff: cannot write '%s': the format %s shows no differences; formats that do are %s",
              what, format->name, list.bytes ? list.bytes : "?");
    buffer_fini(&list);
    return -EINVAL;
}

static int check_formats(const struct options *options, struct error *error)
{
    const struct output_options *output = &options->output;
    int result = options->report.base ? check_format(output->on_screen, "standard output", error) : 0;
    for (size_t i = 0; options->report.base && i < output->count && !result; i++)
        result = check_format(output->items[i].format, output->items[i].path, error);
    return result;
}

int report_options_finish(struct options *options, int argc, char **argv, struct error *error)
{
    bool silent = options->output.count || options->output.open || options->session.quiet;
    enum output_screen screen = silent ? OUTPUT_NO_SCREEN : OUTPUT_STANDARD_OUTPUT;
    if (output_options_check(&options->output, screen, error) < 0 || check_formats(options, error) < 0)
        return -EINVAL;
    if (budgets_need_base(&options->output.budgets) && !options->report.base)
        return error_set(error, EINVAL, "--fail-if-diff: say what to compare with: --diff=BASE");
    if (optind >= argc)
        return error_set(error, EINVAL, "no profile to show; say: ptprofil report %s FILE...",
                         options->report.base ? "--diff=BASE" : "[OPTIONS]");
    options->report.files = argv + optind;
    return 0;
}
