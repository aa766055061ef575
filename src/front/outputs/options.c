/* SPDX-License-Identifier: MIT */
#include "front/outputs/options.h"

#include "common/base/buffer.h"
#include "common/text/say.h"
#include "profile/report/annotation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

void output_options_fini(struct output_options *options)
{
    struct report_pattern *patterns[] = {&options->callers, &options->callees, &options->annotate};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        if (patterns[i]->text)
            regfree(&patterns[i]->compiled);
        patterns[i]->text = NULL;
    }
    budgets_fini(&options->budgets);
    filter_fini(&options->filter);
    free(options->items);
    options->items = NULL;
    options->count = options->room = 0;
}

bool output_options_for_people(const struct report_format *format)
{
    return format->write == report_flat_write || format->write == report_tree_write ||
           format->write == report_annotate_write;
}

/* Copies the options into FORM. With --rows, rows of any size are shown. */
static void put_choices(struct report_options *form, const struct output_options *options)
{
    form->by = options->by;
    form->sort = options->sort;
    form->names = options->names;
    form->no_inlines = options->no_inlines;
    form->bottom_up = options->bottom_up;
    form->spread = options->spread;
    form->callers = options->callers.text ? &options->callers : NULL;
    form->callees = options->callees.text ? &options->callees : NULL;
    if (options->min_given)
        form->min_branch = form->min_percent = options->min_percent;
    form->verbose = options->verbose;
    form->own_only &= !options->min_given && !options->rows_given;
    if (!options->rows_given)
        return;
    form->max_rows = options->rows;
    form->height = 0;
    form->min_percent = options->min_percent;
}

/* Returns true if no option selects a view for the screen. */
static bool is_usual(const struct output_options *options)
{
    return !options->next_format && !options->by_given && !options->spread && !options->rows_given &&
           !options->min_given && options->sort == REPORT_SORT_SELF;
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
    screen.overview = is_usual(options);
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
    bool found = true;
    if (options->annotate.text && annotation_finds(profile, &options->annotate, &found) < 0)
        return -ENOMEM;
    if (!found)
        buffer_printf(text, " --annotate=%s", options->annotate.text);
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        int result = patterns[i]->text ? report_find(profile, &names, patterns[i]) : 0;
        if (result == -ESRCH)
            buffer_printf(text, " %s=%s", i ? "--callees" : "--callers", patterns[i]->text);
        else if (result)
            return result;
    }
    return 0;
}
