/* SPDX-License-Identifier: MIT */
#include "front/cli/report_screen.h"

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/pattern.h"
#include "common/text/say.h"
#include "front/cli/options.h"
#include "front/outputs/outputs.h"
#include "front/top/board.h"
#include "front/top/layout.h"
#include "front/top/loaded.h"
#include "front/top/screen.h"
#include "front/top/view.h"
#include "profile/profile/profile.h"
#include "profile/report/report.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct walk {
    const struct options *options;
    const struct profile *profile;
    struct screen *screen;
    struct loaded loaded;
    struct board board;
    struct layout layout;
    struct view view;
    unsigned width, height;
    char *source;       /* an annotation that hides the rows; NULL: none; owned */
    size_t line, lines; /* its first shown line, and their number */
    bool leave;
};

static struct board_source source_of(struct walk *walk)
{
    return (struct board_source){&walk->loaded.record, &walk->loaded.picture, &walk->loaded.places};
}

static void count_rows(struct walk *walk)
{
    struct board_source from = source_of(walk);
    if (!board_make(&walk->board, &from, &walk->view))
        snprintf(walk->view.message, sizeof walk->view.message, "out of memory: not everything is shown");
}

static struct view_rows rows_of(const struct walk *walk)
{
    return board_view_rows(&walk->board, &walk->view, layout_rows_of(walk->height));
}

static void draw(struct walk *walk)
{
    struct board_source from = source_of(walk);
    screen_size(walk->screen, &walk->width, &walk->height);
    struct view_rows rows = rows_of(walk);
    view_fit(&walk->view, &rows);
    struct layout_source source = {
        .view = &walk->view,
        .board = &walk->board,
        .from = &from,
        .head = {.target = walk->options->report.files[0]},
        .width = walk->width,
        .height = walk->height,
        .utf8 = say_utf8(),
    };
    if (walk->source)
        layout_lines(&walk->layout, &source, walk->source, walk->line);
    else
        layout_screen(&walk->layout, &source);
    screen_show(walk->screen, &walk->layout);
}

/* Appends NAME as a regular expression that matches it alone. */
static void put_pattern(struct buffer *text, const char *name)
{
    buffer_puts(text, "^");
    for (; *name; name++)
        buffer_printf(text, strchr("^.[]$()|*+?{}\\", *name) ? "\\%c" : "%c", *name);
    buffer_puts(text, "$");
}

/* Returns the annotation of the functions that OUTPUT asks for, which the caller frees, or NULL with ERROR set. */
static char *annotate(struct walk *walk, const struct output_options *output, struct error *error)
{
    struct outputs outputs = {.form = output_options_form(output)};
    char *text = NULL;
    size_t size = 0;
    int result = outputs_annotate(&outputs, output, walk->profile, error);
    FILE *stream = result < 0 ? NULL : open_memstream(&text, &size);
    outputs.form.width = walk->width;
    outputs.form.utf8 = say_utf8();
    if (stream) {
        result = outputs_show(report_format_by_name("annotate"), &outputs.form, walk->profile, stream);
        if (fclose(stream) != 0 || result < 0) {
            error_set(error, ENOMEM, "out of memory");
            free(text);
            text = NULL;
        }
    }
    outputs_close(&outputs);
    return text;
}

/* Shows the source of the function at the cursor. */
static void open_source(struct walk *walk)
{
    struct output_options output = walk->options->output;
    struct board_source from = source_of(walk);
    struct board_texts texts;
    struct buffer pattern = {0};
    struct error error = {0};
    board_texts(&from, &walk->view, &walk->board.items[walk->view.selected], &texts);
    put_pattern(&pattern, texts.name);
    output.annotate = (struct report_pattern){.text = texts.name};
    output.rows_given = true;
    output.rows = 1;
    if (pattern.failed || pattern_compile(&output.annotate.compiled, "", pattern.bytes, false, &error) < 0) {
        snprintf(walk->view.message, sizeof walk->view.message, "out of memory");
    } else {
        walk->source = annotate(walk, &output, &error);
        regfree(&output.annotate.compiled);
        if (!walk->source)
            snprintf(walk->view.message, sizeof walk->view.message, "%.500s", error.text);
    }
    walk->line = walk->lines = 0;
    for (const char *at = walk->source; at && (at = strchr(at, '\n')); at++)
        walk->lines++;
    buffer_fini(&pattern);
}

/* Takes KEY while source is shown. */
static void key_of_source(struct walk *walk, uint32_t key)
{
    struct view pages = {.selected = walk->line};
    size_t fit = walk->height > 2 ? walk->height - 2 : 1;
    struct view_rows rows = {.count = walk->lines > fit ? walk->lines - fit + 1 : 1, .fit = fit};
    if (key == 'q') {
        walk->leave = true;
    } else if (key == VIEW_KEY_BACK || key == VIEW_KEY_ESCAPE || key == VIEW_KEY_ENTER || key == 'A') {
        free(walk->source);
        walk->source = NULL;
    } else if (view_key(&pages, key, &rows) == VIEW_DRAW)
        walk->line = pages.selected;
}

static void take_key(struct walk *walk, uint32_t key)
{
    struct view_rows rows = rows_of(walk);
    if (walk->source) {
        key_of_source(walk, key);
        return;
    }
    enum view_action action = view_key(&walk->view, key, &rows);
    if (action == VIEW_COUNT || action == VIEW_LOOK)
        count_rows(walk);
    else if (action == VIEW_ANNOTATE)
        open_source(walk);
    walk->leave |= action == VIEW_QUIT;
}

static void run(struct walk *walk)
{
    uint32_t key;
    bool resized, gone = false;
    while (!walk->leave && !gone) {
        draw(walk);
        struct pollfd news = {.fd = screen_keys(walk->screen), .events = POLLIN};
        enum { LOOK_MS = 500 }; /* another job can have the terminal */
        poll(&news, 1, news.fd < 0 ? LOOK_MS : -1);
        resized = false;
        while (!walk->leave && screen_key(walk->screen, &key, &resized, &gone))
            if (!resized)
                take_key(walk, key);
    }
}

bool report_screen_is_possible(void)
{
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && !screen_missing(STDOUT_FILENO);
}

int report_screen_run(const struct options *options, const struct profile *profile, struct error *error)
{
    struct walk walk = {.options = options, .profile = profile};
    view_begin(&walk.view, profile->quality.wall, 1);
    walk.view.stored = walk.view.by_all = true;
    walk.view.by = profile->quality.wall ? VIEW_WAITING : VIEW_FUNCTIONS;
    walk.view.by_total = options->output.sort == REPORT_SORT_TOTAL;
    int result = loaded_make(&walk.loaded, profile, options->output.names == REPORT_NAMES_FULL)
                     ? 0
                     : error_set(error, ENOMEM, "out of memory");
    if (!result && !(walk.screen = screen_open(STDIN_FILENO, STDOUT_FILENO)))
        result = error_set(error, ENOTTY, "--interactive: the screen cannot be opened");
    if (!result) {
        count_rows(&walk);
        run(&walk);
    }
    screen_close(walk.screen);
    free(walk.source);
    board_free(&walk.board);
    layout_free(&walk.layout);
    loaded_free(&walk.loaded);
    return result;
}
