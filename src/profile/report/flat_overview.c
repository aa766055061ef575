/* SPDX-License-Identifier: MIT
 *
 * The default view: where the time went, on one screen. */
#include "profile/report/flat.h"

#include "common/base/buffer.h"
#include "profile/profile/profile.h"
#include "profile/report/table.h"
#include "profile/report/table_collect.h"
#include "profile/report/table_layout.h"
#include "profile/report/table_rows.h"

/* A table of programs is shown if SOME_PROGRAMS have more than SOME_PERCENT of the time. A run of MANY_PROGRAMS counts
 * as a build. */
enum { SOME_PROGRAMS = 2, SOME_PERCENT = 1, MANY_PROGRAMS = 6 };

/* A few programs with more command lines than this also count as a build: make, gcc, cc1 and as. */
enum { BUILD_PROGRAMS = 4, MANY_COMMANDS = 10 };

/* Lines of a terminal: for the prompt and hints below; for a table, besides its rows; for the paths, besides the
 * paths. */
enum { LINES_BELOW = 4, LINES_OF_TABLE = 3, LINES_OF_PATHS = 2 };

/* Rows of the tables, and lines of the paths: the maximum, and the least that are worth showing. */
enum {
    MOST_FUNCTIONS = 12,
    LEAST_FUNCTIONS = 5,
    MOST_PROGRAMS = 10,
    FEW_PROGRAMS = 5,
    LEAST_PROGRAMS = 3,
    LEAST_PATHS = 3
};

enum { MUCH_OF_TIME = 25 }; /* percent that omitted functions have together */

enum { MOST_COMMAND = 100 }; /* columns of a command line, if the width is unknown */

struct overview {
    const struct profile *profile;
    const struct report_options *options;
    struct buffer *out;
    struct buffer programs; /* table of programs, if there is one */
    bool many;              /* many programs ran */
    bool begun;             /* a part was put before, so an empty line follows */
};

static size_t count_lines(const struct buffer *text)
{
    size_t lines = 0;
    for (size_t i = 0; i < text->length; i++)
        lines += text->bytes[i] == '\n';
    return lines;
}

/* Returns how many lines are left, after OTHERS. */
static size_t lines_left(const struct overview *overview, size_t others)
{
    size_t taken = LINES_BELOW + count_lines(overview->out) + others;
    return overview->options->height > taken ? overview->options->height - taken : 0;
}

/* Returns how many rows a table may have if ROWS fit. */
static size_t fitted(const struct overview *overview, size_t rows, size_t least, size_t most)
{
    if (!overview->options->height || rows > most)
        return most;
    return rows < least ? least : rows;
}

/* Puts a table. HINT: how to see omitted rows; NULL: the usual hint. */
static int put_table(const struct overview *overview, struct buffer *out, enum report_by by, size_t most,
                     const char *hint)
{
    struct table_form form = table_form_by(by);
    form.max_rows = most;
    form.most_name = by == REPORT_BY_COMMAND ? MOST_COMMAND : 0;
    if (hint)
        form.rest_hint = hint;
    form.brief |= by == REPORT_BY_PROGRAM;
    return table_put(out, overview->profile, by, form, overview->options);
}

/* Returns the number of rows in a table BY; 0 if memory runs out. */
static size_t count_rows(const struct profile *profile, enum report_by by)
{
    struct table_rows rows = {0};
    size_t count = table_collect(&rows, profile, by, 0) == 0 ? rows.count : 0;
    table_rows_fini(&rows);
    return count;
}

static bool is_of_build(const struct profile *profile, size_t programs)
{
    return programs >= MANY_PROGRAMS ||
           (programs >= BUILD_PROGRAMS && count_rows(profile, REPORT_BY_COMMAND) > MANY_COMMANDS);
}

bool flat_overview_is_of_build(const struct profile *profile)
{
    return is_of_build(profile, count_rows(profile, REPORT_BY_PROGRAM));
}

/* Prepares the table of programs, unless few programs ran and one of them has nearly all of the time. */
static int prepare_programs(struct overview *overview)
{
    struct table_rows rows = {0};
    uint64_t least_ns = profile_ns(overview->profile) / 100 * SOME_PERCENT;
    size_t some = 0, height = overview->options->height;
    int result = table_collect(&rows, overview->profile, REPORT_BY_PROGRAM, 0);
    for (size_t i = 0; i < rows.count; i++)
        some += table_row_ns(&rows.items[i]) > least_ns;
    overview->many = is_of_build(overview->profile, rows.count);
    table_rows_fini(&rows);
    if (result || (some < SOME_PROGRAMS && !overview->many))
        return result;
    return put_table(overview, &overview->programs, REPORT_BY_PROGRAM,
                     !height ? MOST_PROGRAMS : fitted(overview, height / 8, LEAST_PROGRAMS, FEW_PROGRAMS),
                     "--by=program shows them");
}

/* Puts an empty line between two parts. */
static void begin_part(struct overview *overview)
{
    if (overview->begun)
        buffer_puts(overview->out, "\n");
    overview->begun = true;
}

static void put_programs(struct overview *overview)
{
    if (!overview->programs.length)
        return;
    begin_part(overview);
    buffer_append(overview->out, overview->programs.bytes, overview->programs.length);
}

/* On a terminal, command lines get half of the remaining lines, and functions the other half. */
static int put_commands(struct overview *overview)
{
    size_t rows = lines_left(overview, 2 * LINES_OF_TABLE + 1) / 2;
    begin_part(overview);
    return put_table(overview, overview->out, REPORT_BY_COMMAND, fitted(overview, rows, FEW_PROGRAMS, MOST_PROGRAMS),
                     "--by=command shows them");
}

/* Returns the lines of the programs' table, if it comes last. */
static size_t lines_of_programs(const struct overview *overview)
{
    return overview->many || !overview->programs.length ? 0 : count_lines(&overview->programs) + 1;
}

/* True if a part with at least LINES lines still fits on the terminal. */
static bool has_room(const struct overview *overview, size_t lines)
{
    return !overview->options->height || lines_left(overview, 0) >= lines;
}

/* Counts the functions in ROWS that are worth a row on a terminal. Small ones are if they have much of the time
 * together: then sets OPTIONS to show them. */
static size_t count_worth(struct table_rows *rows, const struct overview *overview, struct report_options *options)
{
    struct table_row rest;
    struct table_rows_limits limits = {MOST_FUNCTIONS, options->min_percent, profile_ns(overview->profile), false,
                                       options->own_only};
    size_t worth = rows->count - table_rows_cut(rows, &limits, &rest);
    if (worth >= MOST_FUNCTIONS || table_row_ns(&rest) / MUCH_OF_TIME < limits.whole_ns / 100)
        return worth;
    options->min_percent = limits.min_percent = 0;
    return rows->count - table_rows_cut(rows, &limits, &rest);
}

/* Divides the remaining lines of a terminal between functions and paths. WANTED functions deserve a row. Functions get
 * two fifths, and the lines that the paths do not use. Puts the paths into PATHS, and sets *ROWS to the functions'
 * share. */
static int share_lines(const struct overview *overview, size_t wanted, struct buffer *paths, size_t *rows)
{
    size_t lines = lines_left(overview, LINES_OF_TABLE + LINES_OF_PATHS + lines_of_programs(overview));
    size_t part = lines * 2 / 5 > LEAST_FUNCTIONS ? lines * 2 / 5 : LEAST_FUNCTIONS;
    size_t least = wanted < part ? wanted : part;
    int result = tree_put_paths(paths, overview->profile, overview->options,
                                lines > least + LEAST_PATHS ? lines - least : LEAST_PATHS);
    size_t taken = count_lines(paths), left = lines + 1 > taken ? lines + 1 - taken : 0; /* one is their title */
    *rows = left < least ? least : left < wanted ? left : wanted;
    return result;
}

/* Drops the table of programs if it comes last and does not fit on the terminal below OTHERS lines. */
static void fit_programs(struct overview *overview, size_t others)
{
    size_t lines = lines_of_programs(overview);
    if (lines && !has_room(overview, others + lines))
        buffer_fini(&overview->programs);
}

/* Puts the table of the functions ROWS, and the paths if they fit. */
static int put_rows_and_paths(struct overview *overview, struct table_rows *rows)
{
    struct report_options some = *overview->options;
    const struct report_options *options = &some;
    size_t worth = options->height ? count_worth(rows, overview, &some) : 0;
    size_t least = LINES_OF_TABLE + (worth < LEAST_FUNCTIONS ? worth : LEAST_FUNCTIONS);
    bool both = profile_ns(overview->profile) && has_room(overview, least + LINES_OF_PATHS + LEAST_PATHS);
    struct table_form form = table_form_by(REPORT_BY_FUNCTION);
    struct buffer paths = {0};
    int result = 0;
    fit_programs(overview, least + (both ? LINES_OF_PATHS + LEAST_PATHS : 0));
    form.max_rows = options->max_rows;
    if (options->height)
        form.max_rows = LEAST_FUNCTIONS;
    if (options->height && both)
        result = share_lines(overview, worth, &paths, &form.max_rows);
    else if (both)
        result = tree_put_paths(&paths, overview->profile, options, 0);
    begin_part(overview);
    table_put_filled(overview->out, rows, overview->profile, REPORT_BY_FUNCTION, form, options);
    if (both) {
        begin_part(overview);
        buffer_append(overview->out, paths.bytes ? paths.bytes : "", paths.length);
    }
    overview->out->failed |= paths.failed;
    buffer_fini(&paths);
    return result;
}

static int put_functions(struct overview *overview)
{
    struct table_rows rows = {0};
    if (overview->many && !has_room(overview, LINES_OF_TABLE + LEAST_FUNCTIONS)) /* below the first tables of a build */
        return 0;
    int result = table_fill(&rows, overview->profile, REPORT_BY_FUNCTION, overview->options);
    if (!result)
        result = put_rows_and_paths(overview, &rows);
    table_rows_fini(&rows);
    return result;
}

int flat_overview_put(struct buffer *out, const struct profile *profile, const struct report_options *options)
{
    struct overview overview = {.profile = profile, .options = options, .out = out};
    int result = prepare_programs(&overview);
    if (!result && overview.many) {
        put_programs(&overview);
        result = put_commands(&overview);
    }
    if (!result)
        result = put_functions(&overview);
    if (!result && !overview.many)
        put_programs(&overview);
    out->failed |= overview.programs.failed;
    buffer_fini(&overview.programs);
    return result;
}
