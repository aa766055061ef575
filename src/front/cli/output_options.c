/* SPDX-License-Identifier: MIT
 *
 * Options for outputs and their form, for all commands that write profiles. */
#include "front/cli/options.h"

#include "common/base/array.h"
#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/pattern.h"
#include "common/text/nearest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_NAMES = 64, MOST_ROWS = 1000000000 };

/* Returns the format of which TEXT is a misspelling, or NULL. ENDING: TEXT is an ending without its dot. */
static const char *meant(const char *text, bool ending)
{
    const char *names[MOST_NAMES], *dot = strrchr(text, '.');
    size_t count = 0;
    for (const struct report_format *format = report_formats; format->name; format++) {
        if (!ending && count < MOST_NAMES)
            names[count++] = format->name;
        for (const char *const *one = format->endings; ending && *one; one++)
            if (**one == '.' && count < MOST_NAMES)
                names[count++] = *one + 1;
    }
    return !ending ? nearest_name(text, names, count) : dot ? nearest_name(dot + 1, names, count) : NULL;
}

static int unknown_format(const char *complaint, const char *text, bool ending, struct error *error)
{
    struct buffer advice = {0};
    if (ending)
        buffer_puts(&advice, "use a known ending or --format=NAME; ");
    for (const struct report_format *format = report_formats; format->name; format++)
        buffer_printf(&advice, "%s%s", format == report_formats ? "formats are " : ", ", format->name);
    int result = nearest_refuse(error, complaint, text, ending ? "." : "", meant(text, ending), &advice);
    buffer_fini(&advice);
    return result;
}

int output_take_format(struct options *options, const struct option_given *given)
{
    struct output_options *output = &options->output;
    output->next_format_name = given->text;
    output->next_format = report_format_by_name(given->text);
    return output->next_format ? 0 : unknown_format("--format: there is no format", given->text, false, given->error);
}

int output_take_output(struct options *options, const struct option_given *given)
{
    struct output_options *output = &options->output;
    struct output_option one = {.path = given->text, .format = output->next_format, .named = output->next_format};
    output->next_format = NULL;
    if (!*one.path || !strcmp(one.path, "--"))
        return option_refuse(given, "a file name is missing");
    if (!one.named)
        one.format = report_format_by_file(one.path);
    if (!ARRAY_RESERVE_ONE(output))
        return error_set(given->error, ENOMEM, "out of memory");
    output->items[output->count++] = one;
    return 0;
}

int output_take_by(struct options *options, const struct option_given *given)
{
    options->output.by_given = true;
    return option_set_choice(options, given);
}

int output_take_rows(struct options *options, const struct option_given *given)
{
    uint32_t rows = 0;
    bool all = !strcmp(given->text, "all");
    int result = all ? 0 : option_number(given, 1, MOST_ROWS, ", or 'all'", &rows);
    options->output.rows_given |= !result;
    options->output.rows = rows;
    return result;
}

int output_take_min(struct options *options, const struct option_given *given)
{
    const char *text = given->text;
    char *end;
    errno = 0;
    double percent = strtod(text, &end);
    if (errno || end == text || (*end && strcmp(end, "%")) || strspn(text, "0123456789.") != (size_t)(end - text) ||
        percent > 100)
        return option_refuse(given, "'%s' is not a percentage from 0 to 100", text);
    options->output.min_percent = percent;
    options->output.min_given = true;
    return 0;
}

int output_take_pattern(struct options *options, const struct option_given *given)
{
    struct report_pattern *pattern = option_member(options, given->row);
    const char *option = given->row->name;
    if (pattern->text)
        return error_set(given->error, EINVAL, "%s can be given once; for several functions use '%s|%s'", option,
                         pattern->text, given->text);
    int result = pattern_compile(&pattern->compiled, option, given->text, false, given->error);
    if (!result)
        pattern->text = given->text;
    return result;
}

int output_take_sysroot(struct options *options, const struct option_given *given)
{
    struct stat about;
    if (stat(given->text, &about) < 0 || !S_ISDIR(about.st_mode))
        return option_refuse(given, "'%s' is not a directory that can be read", given->text);
    options->output.sysroot = given->text;
    return 0;
}

int output_take_fail_if(struct options *options, const struct option_given *given)
{
    return budgets_add(&options->output.budgets, given->row->name, given->text, false, given->error);
}

static bool writes(const struct output_options *options, report_writer *writer)
{
    for (size_t i = 0; i < options->count; i++)
        if (options->items[i].format->write == writer)
            return true;
    return options->on_screen && options->on_screen->write == writer;
}

/* Returns the format for the screen if --format is not given: a tree or source if an option requests one and no output
 * shows it, otherwise the table. */
static const struct report_format *usual_format(const struct output_options *options)
{
    if (options->annotate.text && !writes(options, report_annotate_write))
        return report_format_by_name("annotate");
    bool shown = writes(options, report_tree_write), centred = options->callers.text || options->callees.text;
    bool tree = !shown && (centred || (options->bottom_up && !writes(options, report_html_write)));
    return report_format_by_name(tree ? "tree" : "flat");
}

static bool fits(const struct report_format *format, enum output_screen screen)
{
    return output_options_for_people(format) ? screen != OUTPUT_NO_SCREEN
                                             : screen == OUTPUT_STANDARD_OUTPUT && format->write && !format->binary;
}

/* Applies a --format that follows all -o options. It belongs to the only output without a known ending. If all endings
 * are known, it belongs to SCREEN if SCREEN can show the format, and otherwise to the only output without a
 * --format. */
static int place_format(struct output_options *options, enum output_screen screen, struct error *error)
{
    struct {
        struct output_option *last;
        size_t count;
    } unknown = {0}, known = {0}; /* outputs without --format, by their ending */
    for (size_t i = 0; i < options->count; i++) {
        struct output_option *one = &options->items[i];
        if (!one->named && one->format)
            known.last = one, known.count++;
        else if (!one->named)
            unknown.last = one, unknown.count++;
    }
    if (!options->next_format || (!unknown.count && fits(options->next_format, screen)))
        return 0;
    if (!unknown.count && !known.count)
        return error_set(error, EINVAL, "--format=%s needs a file: add -o FILE", options->next_format_name);
    if ((unknown.count ? unknown.count : known.count) > 1)
        return error_set(error, EINVAL, "--format=%s: which -o is it for? Write it before that one",
                         options->next_format_name);
    (unknown.count ? unknown.last : known.last)->format = options->next_format;
    options->next_format = NULL;
    return 0;
}

static int place_formats(struct output_options *options, enum output_screen screen, struct error *error)
{
    int result = place_format(options, screen, error);
    for (size_t i = 0; i < options->count && !result; i++) {
        struct output_option *one = &options->items[i];
        if (!one->format && !strcmp(one->path, "-"))
            one->format = report_format_by_name("flat");
        if (!one->format)
            result = unknown_format("-o, --output: cannot tell the format from the name", one->path, true, error);
    }
    return result;
}

/* Adds a page in a new folder, if no output is a page that a browser can show. */
static int place_page(struct output_options *options, struct error *error)
{
    for (size_t i = 0; i < options->count; i++)
        if (options->items[i].format->write == report_html_write && strcmp(options->items[i].path, "-") != 0)
            return 0;
    if (!ARRAY_RESERVE_ONE(options))
        return error_set(error, ENOMEM, "out of memory");
    options->items[options->count++] =
        (struct output_option){"profile.html", report_format_by_name("html"), .named = true, .temporary = true};
    return 0;
}

int output_options_check(struct output_options *options, enum output_screen screen, struct error *error)
{
    if (place_formats(options, screen, error) < 0)
        return -EINVAL;
    if (options->open && place_page(options, error) < 0)
        return -ENOMEM;
    if (screen)
        options->on_screen = options->next_format ? options->next_format : usual_format(options);
    bool tree = writes(options, report_tree_write);
    if ((options->callers.text || options->callees.text) && !tree)
        return error_set(error, EINVAL, "%s needs a tree: add --format=tree -o FILE",
                         options->callers.text ? "--callers" : "--callees");
    bool annotated = writes(options, report_annotate_write);
    if (options->annotate.text && !annotated)
        return error_set(error, EINVAL, "--annotate needs the format annotate: add --format=annotate -o FILE");
    if (annotated && !options->annotate.text)
        return error_set(error, EINVAL, "--format=annotate: say which function: --annotate=FUNCTION");
    if (options->sysroot && !annotated)
        return error_set(error, EINVAL, "--sysroot needs --annotate=FUNCTION");
    if (options->sort == REPORT_SORT_IMBALANCE && !options->spread)
        return error_set(error, EINVAL, "--sort=imbalance needs --spread");
    if (options->min_given && !tree && !annotated && !writes(options, report_flat_write))
        return error_set(error, EINVAL, "--min needs a table or a tree, and no output is one");
    return 0;
}
