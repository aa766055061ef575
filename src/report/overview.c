/* SPDX-License-Identifier: MIT */
#include "report/overview.h"

#include "report/flat_rows.h"
#include "report/table.h"
#include "report/tree.h"

/* So many programs that have more than so much of the time are worth a table, and so many that ran are a build. */
enum { SOME_PROGRAMS = 2, SOME_PERCENT = 1, MANY_PROGRAMS = 6 };

/* Lines of a terminal: the prompt and hints below; of a table, what is no row of it; of the paths, what is no path. */
enum { LINES_BELOW = 4, LINES_OF_TABLE = 3, LINES_OF_PATHS = 2 };

/* Rows of the tables, and lines of the paths: the most, and the least that are worth showing. */
enum {
    MOST_FUNCTIONS = 12,
    LEAST_FUNCTIONS = 5,
    MOST_PROGRAMS = 10,
    FEW_PROGRAMS = 5,
    LEAST_PROGRAMS = 3,
    LEAST_PATHS = 5
};

enum { MOST_COMMAND = 100 }; /* columns of a command line, where there is no width */

struct overview {
    const struct profile *profile;
    const struct report_options *options;
    struct buffer *out;
    struct buffer programs; /* their table, if there is one */
    bool many;              /* programs ran */
    bool begun;             /* there is a part above the next one */
};

static size_t count_lines(const struct buffer *text)
{
    size_t lines = 0;
    for (size_t i = 0; i < text->length; i++)
        lines += text->bytes[i] == '\n';
    return lines;
}

/* How many lines are left, but for OTHERS. */
static size_t lines_left(const struct overview *overview, size_t others)
{
    size_t taken = LINES_BELOW + count_lines(overview->out) + others;
    return overview->options->height > taken ? overview->options->height - taken : 0;
}

/* How many rows a table may have that has room for ROWS. */
static size_t fitted(const struct overview *overview, size_t rows, size_t least, size_t most)
{
    if (!overview->options->height || rows > most)
        return most;
    return rows < least ? least : rows;
}

/* HINT: how rows that are left out are to be seen; NULL: as for any table. */
static int put_table(const struct overview *overview, struct buffer *out, enum report_by by, size_t most,
                     const char *hint)
{
    struct grid form = table_by(by);
    form.max_rows = most;
    form.most_name = by == REPORT_BY_COMMAND ? MOST_COMMAND : 0;
    table_hint_rows(&form, by, overview->options);
    if (hint)
        form.rest_hint = hint;
    form.brief |= by == REPORT_BY_PROGRAM;
    return table_put(out, overview->profile, by, form, overview->options);
}

/* Prepares the table of programs, unless a single one, of a few, has next to all of the time. */
static int prepare_programs(struct overview *overview)
{
    struct rows rows = {0};
    uint64_t least_ns = profile_ns(overview->profile) / 100 * SOME_PERCENT;
    size_t some = 0, height = overview->options->height;
    int result = flat_rows(&rows, overview->profile, REPORT_BY_PROGRAM, false);
    for (size_t i = 0; i < rows.count; i++)
        some += row_ns(&rows.items[i]) > least_ns;
    overview->many = rows.count >= MANY_PROGRAMS;
    rows_fini(&rows);
    if (result || (some < SOME_PROGRAMS && !overview->many))
        return result;
    return put_table(overview, &overview->programs, REPORT_BY_PROGRAM,
                     !height ? MOST_PROGRAMS : fitted(overview, height / 8, LEAST_PROGRAMS, FEW_PROGRAMS),
                     "--by=program shows them");
}

/* An empty line between two parts. */
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

/* On a terminal, half of what is left is theirs, and the other half functions'. */
static int put_commands(struct overview *overview)
{
    size_t rows = lines_left(overview, 2 * LINES_OF_TABLE + 1) / 2;
    begin_part(overview);
    return put_table(overview, overview->out, REPORT_BY_COMMAND, fitted(overview, rows, FEW_PROGRAMS, MOST_PROGRAMS),
                     "--by=command shows them");
}

/* Lines of the programs' table, if it comes last. */
static size_t lines_of_programs(const struct overview *overview)
{
    return overview->many || !overview->programs.length ? 0 : count_lines(&overview->programs) + 1;
}

/* True if a part with so many LINES at the least still fits on the terminal, where what a build shows first may take
 * all of it. */
static bool has_room(const struct overview *overview, size_t lines)
{
    return !overview->many || !overview->options->height || lines_left(overview, 0) >= lines;
}

/* On a terminal, half of what is left for them and the paths, which take what they leave. */
static int put_functions(struct overview *overview)
{
    const struct report_options *options = overview->options;
    size_t rows = lines_left(overview, LINES_OF_TABLE + LINES_OF_PATHS + lines_of_programs(overview)) / 2;
    if (!has_room(overview, LINES_OF_TABLE + LEAST_FUNCTIONS))
        return 0;
    begin_part(overview);
    return put_table(overview, overview->out, REPORT_BY_FUNCTION,
                     options->height ? fitted(overview, rows, LEAST_FUNCTIONS, MOST_FUNCTIONS) : options->max_rows,
                     NULL);
}

static int put_paths(struct overview *overview)
{
    size_t lines = lines_left(overview, LINES_OF_PATHS + lines_of_programs(overview));
    if (!has_room(overview, LINES_OF_PATHS + LEAST_PATHS))
        return 0;
    begin_part(overview);
    return tree_put_paths(overview->out, overview->profile, overview->options,
                          !overview->options->height ? 0
                          : lines < LEAST_PATHS      ? LEAST_PATHS
                                                     : lines);
}

int overview_put(struct buffer *out, const struct profile *profile, const struct report_options *options)
{
    struct overview overview = {.profile = profile, .options = options, .out = out};
    int result = prepare_programs(&overview);
    if (!result && overview.many) {
        put_programs(&overview);
        result = put_commands(&overview);
    }
    if (!result)
        result = put_functions(&overview);
    if (!result)
        result = put_paths(&overview);
    if (!result && !overview.many)
        put_programs(&overview);
    out->failed |= overview.programs.failed;
    buffer_fini(&overview.programs);
    return result;
}
