/* SPDX-License-Identifier: MIT */
#include "cli/output_options.h"

#include "base/array.h"
#include "base/pattern.h"
#include "text/limit_options.h"
#include "text/nearest.h"
#include "text/say.h"
#include "report/annotation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_NAMES = 64, MOST_ROWS = 1000000000 };

void output_options_fini(struct output_options *options)
{
    struct report_pattern *patterns[] = {&options->callers, &options->callees, &options->annotate};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        if (patterns[i]->text)
            regfree(&patterns[i]->compiled);
        patterns[i]->text = NULL;
    }
    budgets_fini(&options->budgets);
    free(options->items);
    options->items = NULL;
    options->count = options->room = 0;
}

static void list_formats(struct buffer *list)
{
    for (const struct report_format *format = report_formats; format->name; format++)
        buffer_printf(list, "%s%s", list->length ? ", " : "", format->name);
}

/* The format, or the ending of a file's name without its dot, that TEXT was meant for; NULL if that is not clear. */
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

static int unknown_format(const char *what, const char *text, bool ending, struct error *error)
{
    struct buffer list = {0};
    const char *missing = report_format_missing(text), *near = missing ? NULL : meant(text, ending);
    list_formats(&list);
    if (near)
        error_set(error, EINVAL, "%s '%s'; did you mean %s%s? Formats are %s", what, text, ending ? "." : "", near,
                  list.bytes ? list.bytes : "?");
    else
        error_set(error, EINVAL, "%s '%s'; %s%sformats are %s", what, text, missing ? missing : "", missing ? "; " : "",
                  list.bytes ? list.bytes : "?");
    buffer_fini(&list);
    return -EINVAL;
}

static int take_format(struct output_options *options, const char *name, struct error *error)
{
    options->next_format_name = name;
    options->next_format = report_format_by_name(name);
    return options->next_format ? 0 : unknown_format("--format: there is no format", name, false, error);
}

static int take_output(struct output_options *options, const char *path, struct error *error)
{
    const struct report_format *format = options->next_format ? options->next_format : report_format_by_file(path);
    options->next_format = NULL;
    if (!*path || !strcmp(path, "--"))
        return error_set(error, EINVAL, "-o, --output: a file name is missing");
    if (!format && !strcmp(path, "-"))
        format = report_format_by_name("flat");
    if (!format)
        return unknown_format("-o, --output: the name does not tell the format (--format=NAME before -o does) of", path,
                              true, error);
    if (!ARRAY_RESERVE_ONE(options))
        return error_set(error, ENOMEM, "out of memory");
    options->items[options->count++] = (struct output_option){path, format};
    return 0;
}

static int take_by(struct output_options *options, const char *name, struct error *error)
{
    if (report_by_find(name, &options->by))
        return 0;
    return error_set(error, EINVAL,
                     "--by: '%s' is not one of function, module, process, program, command, thread, line, syscall",
                     name);
}

static int take_sort(struct output_options *options, const char *name, struct error *error)
{
    bool total = !strcmp(name, "total");
    if (!total && strcmp(name, "self") != 0)
        return error_set(error, EINVAL, "--sort: '%s' is not one of self, total", name);
    options->sort = total ? REPORT_SORT_TOTAL : REPORT_SORT_SELF;
    return 0;
}

static int take_names(struct output_options *options, const char *name, struct error *error)
{
    bool full = !strcmp(name, "full");
    if (!full && strcmp(name, "short") != 0)
        return error_set(error, EINVAL, "--names: '%s' is not one of short, full", name);
    options->names = full ? REPORT_NAMES_FULL : REPORT_NAMES_SHORT;
    return 0;
}

static int take_rows(struct output_options *options, const char *text, struct error *error)
{
    uint32_t rows = 0;
    int result = strcmp(text, "all") ? limit_whole("-n, --rows", text, 1, MOST_ROWS, ", or 'all'", &rows, error) : 0;
    options->rows_given |= !result;
    options->rows = rows;
    return result;
}

static int take_min(struct output_options *options, const char *text, struct error *error)
{
    char *end;
    errno = 0;
    double percent = strtod(text, &end);
    if (errno || end == text || (*end && strcmp(end, "%")) || strspn(text, "0123456789.") != (size_t)(end - text) ||
        percent > 100)
        return error_set(error, EINVAL, "--min: '%s' is not a percentage from 0 to 100", text);
    options->min_percent = percent;
    options->min_given = true;
    return 0;
}

static int take_pattern(struct report_pattern *pattern, const char *option, const char *text, struct error *error)
{
    if (pattern->text)
        return error_set(error, EINVAL, "%s can be given once; several functions are '%s|%s'", option, pattern->text,
                         text);
    int result = pattern_compile(&pattern->compiled, option, text, false, error);
    if (!result)
        pattern->text = text;
    return result;
}

static int take_sysroot(struct output_options *options, const char *path, struct error *error)
{
    struct stat about;
    if (stat(path, &about) < 0 || !S_ISDIR(about.st_mode))
        return error_set(error, EINVAL, "--sysroot: '%s' is not a directory that can be read", path);
    options->sysroot = path;
    return 0;
}

bool output_options_has(int option)
{
    return option == 'n' || option == 'o' || (option >= OUTPUT_FORMAT && option <= OUTPUT_FAIL_IF);
}

int output_options_take(struct output_options *options, int option, const char *text, struct error *error)
{
    switch (option) {
    case 'o':
        return take_output(options, text, error);
    case OUTPUT_FORMAT:
        return take_format(options, text, error);
    case OUTPUT_BY:
        return take_by(options, text, error);
    case OUTPUT_SORT:
        return take_sort(options, text, error);
    case OUTPUT_NAMES:
        return take_names(options, text, error);
    case 'n':
        return take_rows(options, text, error);
    case OUTPUT_MIN:
        return take_min(options, text, error);
    case OUTPUT_CALLERS:
        return take_pattern(&options->callers, "--callers", text, error);
    case OUTPUT_CALLEES:
        return take_pattern(&options->callees, "--callees", text, error);
    case OUTPUT_ANNOTATE:
        return take_pattern(&options->annotate, "--annotate", text, error);
    case OUTPUT_SYSROOT:
        return take_sysroot(options, text, error);
    case OUTPUT_FAIL_IF:
        return budgets_add(&options->budgets, "--fail-if", text, false, error);
    case OUTPUT_NO_INLINES:
        options->no_inlines = true;
        return 0;
    default:
        options->bottom_up = true;
        return 0;
    }
}

static bool writes(const struct output_options *options, report_writer *writer)
{
    for (size_t i = 0; i < options->count; i++)
        if (options->items[i].format->write == writer)
            return true;
    return options->on_screen && options->on_screen->write == writer;
}

/* What the screen shows if no format is given for it: a tree, or source, if that is asked for and nothing else shows
 * it. */
static const struct report_format *usual_format(const struct output_options *options)
{
    if (options->annotate.text && !writes(options, report_annotate_write))
        return report_format_by_name("annotate");
    bool shown = writes(options, report_tree_write), centred = options->callers.text || options->callees.text;
    bool tree = !shown && (centred || (options->bottom_up && !writes(options, report_html_write)));
    return report_format_by_name(tree ? "tree" : "flat");
}

bool output_options_for_people(const struct report_format *format)
{
    return format->write == report_flat_write || format->write == report_tree_write ||
           format->write == report_annotate_write;
}

static bool fits(const struct report_format *format, enum output_screen screen)
{
    return output_options_for_people(format) ? screen != OUTPUT_NO_SCREEN
                                             : screen == OUTPUT_STANDARD_OUTPUT && format->write && !format->binary;
}

int output_options_check(struct output_options *options, enum output_screen screen, struct error *error)
{
    if (options->next_format && !fits(options->next_format, screen))
        return error_set(error, EINVAL, "--format=%s has no -o after it", options->next_format_name);
    if (screen)
        options->on_screen = options->next_format ? options->next_format : usual_format(options);
    bool tree = writes(options, report_tree_write);
    if ((options->callers.text || options->callees.text) && !tree)
        return error_set(error, EINVAL, "%s is shown by a tree: add --format=tree -o FILE",
                         options->callers.text ? "--callers" : "--callees");
    bool annotated = writes(options, report_annotate_write);
    if (options->annotate.text && !annotated)
        return error_set(error, EINVAL, "--annotate is shown by the format annotate: add --format=annotate -o FILE");
    if (annotated && !options->annotate.text)
        return error_set(error, EINVAL, "--format=annotate: say which function: --annotate=FUNCTION");
    if (options->sysroot && !annotated)
        return error_set(error, EINVAL, "--sysroot goes with --annotate=FUNCTION");
    if (options->min_given && !tree && !annotated && !writes(options, report_flat_write))
        return error_set(error, EINVAL, "--min is for tables and trees, and none is written");
    return 0;
}

/* Puts what was asked for into FORM. Rows that were asked for are shown, however small they are. */
static void put_choices(struct report_options *form, const struct output_options *options)
{
    form->by = options->by;
    form->sort = options->sort;
    form->names = options->names;
    form->no_inlines = options->no_inlines;
    form->bottom_up = options->bottom_up;
    form->callers = options->callers.text ? &options->callers : NULL;
    form->callees = options->callees.text ? &options->callees : NULL;
    if (options->min_given)
        form->min_branch = form->min_percent = options->min_percent;
    form->verbose = options->verbose;
    if (!options->rows_given)
        return;
    form->max_rows = options->rows;
    form->height = 0;
    form->min_percent = options->min_percent;
}

struct report_options output_options_form(const struct output_options *options)
{
    struct report_options form = REPORT_OPTIONS_FULL;
    put_choices(&form, options);
    return form;
}

struct report_options output_options_screen(const struct output_options *options, int fd)
{
    struct report_options screen = REPORT_OPTIONS_DEFAULT;
    const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR"), *columns = getenv("COLUMNS");
    bool terminal = isatty(fd);
    struct winsize size;

    screen.utf8 = say_utf8();
    screen.color = terminal && !(no_color && *no_color) && term && strcmp(term, "dumb");
    screen.width = terminal ? 80 : 0;
    bool known = terminal && ioctl(fd, TIOCGWINSZ, &size) == 0;
    if (known && size.ws_col)
        screen.width = size.ws_col;
    else if (columns && atoi(columns) > 0)
        screen.width = (unsigned)atoi(columns);
    if (known && size.ws_row) {
        screen.height = size.ws_row;
        screen.max_rows = 0;
    }
    put_choices(&screen, options);
    return screen;
}

size_t output_options_annotated(const struct output_options *options)
{
    return options->rows_given ? options->rows : 1;
}

int output_options_unfit(const struct output_options *options, const struct profile *profile, struct buffer *text)
{
    const struct report_pattern *patterns[] = {&options->callers, &options->callees};
    struct report_options names = {.names = options->names, .no_inlines = options->no_inlines};
    struct annotation annotation = {0};
    if (options->annotate.text && annotation_choose(&annotation, profile, &options->annotate) < 0)
        return -ENOMEM;
    if (options->annotate.text && !annotation.count)
        buffer_printf(text, " --annotate=%s", options->annotate.text);
    annotation_fini(&annotation);
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        int result = patterns[i]->text ? report_find(profile, &names, patterns[i]) : 0;
        if (result == -ESRCH)
            buffer_printf(text, " %s=%s", i ? "--callees" : "--callers", patterns[i]->text);
        else if (result)
            return result;
    }
    return 0;
}
