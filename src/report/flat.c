/* SPDX-License-Identifier: MIT
 *
 * The flat profile, for people: what was run, where its time went, and how good that is. Times are
 * rounded for themselves, so a column adds up to its total but for the last digit; the samples add up
 * exactly. */
#include "report/report.h"

#include "report/flat_rows.h"
#include "report/grid.h"
#include "report/spread.h"
#include "profile/label.h"
#include "report/rows.h"
#include "text/text.h"
#include "text/words.h"

#include <string.h>

/* Most rows of the summary by process that follows another table. */
enum { MOST_PROCESSES = 10 };

/* On a terminal: the lines of a view that are not rows of its tables (a head, titles, sums, a prompt), and the least
 * rows, however low the terminal is. */
enum { OTHER_LINES = 9, OTHER_LINES_OF_PROCESSES = 4, LEAST_ROWS = 10 };

static struct grid grid_by(enum report_by by)
{
    static const struct {
        const char *name, *detail;
        text_cutter *cut, *cut_detail;
    } titles[] = {
        [REPORT_BY_FUNCTION] = {"function", "module", text_cut_name, text_cut_end},
        [REPORT_BY_MODULE] = {"module", "path", text_cut_end, text_cut},
        [REPORT_BY_PROCESS] = {"process", "pid", text_cut, text_cut},
        [REPORT_BY_THREAD] = {"thread", "pid/tid", text_cut, text_cut},
        [REPORT_BY_PROGRAM] = {"program", NULL, text_cut, NULL},
        [REPORT_BY_COMMAND] = {"command", NULL, words_cut, NULL},
        [REPORT_BY_LINE] = {"line", "function", text_cut_path, text_cut_name},
        [REPORT_BY_SYSCALL] = {"system call", NULL, text_cut, NULL},
        [REPORT_BY_MPI] = {"MPI call", NULL, text_cut_end, NULL},
        [REPORT_BY_RANK] = {"rank", "host", text_cut, text_cut},
    };
    return (struct grid){
        .name_title = titles[by].name,
        .detail_title = titles[by].detail,
        .cut = titles[by].cut,
        .cut_detail = titles[by].cut_detail,
        .brief = by == REPORT_BY_LINE || by == REPORT_BY_COMMAND, /* its width is better spent on the names */
    };
}

/* What a hundred percent are: of a comparison, the larger side. */
static uint64_t whole_of(const struct profile *profile, const struct profile *base)
{
    uint64_t whole = profile_whole_ns(profile), before = base ? profile_whole_ns(base) : 0;
    return whole > before ? whole : before;
}

/* True if waiting threads were sampled, in PROFILE or in what it is compared with. */
static bool is_wall(const struct profile *profile, const struct report_options *options)
{
    return profile->quality.wall || (options->base && options->base->quality.wall);
}

/* Appends a table of PROFILE. FORM says by what titles, how many rows and which columns; its rows are set
 * here. Returns 0 or -ENOMEM. */
static int put_table(struct buffer *out, const struct profile *profile, enum report_by by, struct grid form,
                     const struct report_options *options)
{
    struct rows rows = {0};
    int result = flat_rows_sorted(&rows, profile, by, options);
    if (!result) {
        form.rows = &rows;
        form.whole_ns = whole_of(profile, options->base);
        form.compare = options->base != NULL;
        if (form.compare && (by == REPORT_BY_PROCESS || by == REPORT_BY_THREAD))
            form.detail_title = NULL;
        form.total = report_by_has_total(by);
        form.by_total = form.total && options->sort == REPORT_SORT_TOTAL;
        form.waiting = is_wall(profile, options);
        form.unsampled = report_by_is_of_processes(by) && !form.brief;
        grid_put(out, &form, options);
    }
    rows_fini(&rows);
    return result;
}

static void put_count(struct buffer *out, uint64_t count, const char *one, const char *many)
{
    buffer_printf(out, "%llu %s", (unsigned long long)count, count == 1 ? one : many);
}

/* What ran, in a line that is cut to the width. TITLE stands before it. */
static void put_command(struct buffer *out, const char *title, const struct profile *profile,
                        const struct report_options *options)
{
    struct buffer clean = {0};
    if (!profile->command)
        return;
    buffer_puts(&clean, title);
    text_clean(&clean, profile->command, options->utf8);
    text_cut(out, clean.bytes ? clean.bytes : "", options->width ? options->width : UINT32_MAX, 0, options->utf8);
    buffer_puts(out, "\n");
    out->failed |= clean.failed;
    buffer_fini(&clean);
}

static void put_difference(struct buffer *out, uint64_t ns, uint64_t base_ns, bool wall)
{
    uint64_t amount = ns > base_ns ? ns - base_ns : base_ns - ns;
    text_duration(out, ns);
    buffer_puts(out, wall ? " running and waiting, " : " of CPU time, ");
    text_duration(out, amount);
    if (base_ns) {
        buffer_puts(out, " (");
        text_percent(out, amount, base_ns);
        buffer_puts(out, " %)");
    }
    buffer_printf(out, " %s than the base's ", ns < base_ns ? "less" : "more");
    text_duration(out, base_ns);
}

static void put_amounts(struct buffer *out, const struct profile *profile)
{
    uint64_t samples = profile_samples(profile);
    text_duration(out, profile_cpu_ns(profile));
    if (profile->quality.wall) {
        buffer_puts(out, " running and ");
        text_duration(out, profile_wait_ns(profile));
        buffer_puts(out, " waiting");
    } else
        buffer_puts(out, " of CPU time");
    if (profile->quality.wall_ns) {
        buffer_puts(out, " in ");
        text_duration(out, profile->quality.wall_ns);
    }
    buffer_puts(out, ", ");
    put_count(out, samples, "sample", "samples");
    if (profile->process_count > 1) {
        buffer_puts(out, ", ");
        put_count(out, profile->process_count, "process", "processes and execs");
    }
}

/* How many of the COUNT OPTIONS are the first one, given with other arguments. */
static size_t same_options(char *const *options, size_t count)
{
    size_t same = 1, name = strcspn(options[0], "=");
    while (same < count && strcspn(options[same], "=") == name && !strncmp(options[same], options[0], name))
        same++;
    return same;
}

/* The options that chose the samples, and which part of PROFILE each left of what those before it had left. */
static void put_filters(struct buffer *out, const struct profile *profile, const struct report_options *options)
{
    struct buffer line = {0};
    for (size_t i = 0, same; i < options->filter_count && profile->left_ns; i += same) {
        same = same_options(&options->filters[i], options->filter_count - i);
        buffer_puts(&line, i ? "and " : "");
        for (size_t one = i; one < i + same; one++) {
            text_clean(&line, options->filters[one], options->utf8);
            buffer_puts(&line, one + 1 < i + same ? " " : ": ");
        }
        text_percent(&line, profile->left_ns[i], profile_whole_ns(profile));
        buffer_puts(&line, " % of ");
        text_duration(&line, profile_whole_ns(profile));
        text_cut(out, line.bytes ? line.bytes : "", options->width ? options->width : UINT32_MAX, 0, options->utf8);
        buffer_puts(out, "\n");
        line.length = 0;
    }
    out->failed |= line.failed;
    buffer_fini(&line);
}

/* What ran, and the figures to read the table with. */
static void put_head(struct buffer *out, const struct profile *profile, const struct report_options *options)
{
    put_command(out, "", profile, options);
    if (options->base) {
        put_command(out, "base: ", options->base, options);
        put_difference(out, profile_ns(profile), profile_ns(options->base), is_wall(profile, options));
    } else
        put_amounts(out, profile);
    buffer_puts(out, "\n");
    put_filters(out, profile, options);
    buffer_puts(out, "\n");
}

/* A line for each process image that could not be sampled. */
static void put_not_sampled(struct buffer *out, const struct profile *profile, const struct report_options *options)
{
    size_t left_out = 0;
    for (size_t i = 0; i < profile->process_count; i++) {
        const struct profile_process *process = &profile->processes[i];
        if (!process->not_sampled || left_out++ >= MOST_PROCESSES)
            continue;
        buffer_printf(out, "%snot sampled: %s ", left_out == 1 ? "\n" : "", label_process(process).text);
        text_clean(out, process->comm, options->utf8);
        buffer_puts(out, ": ");
        text_clean(out, process->not_sampled, options->utf8);
        buffer_puts(out, "\n");
    }
    if (left_out > MOST_PROCESSES)
        buffer_printf(out, "not sampled: %zu more\n", left_out - MOST_PROCESSES);
}

/* Where threads wait says little without who called that. */
static void put_hint(struct buffer *out, const struct profile *profile, const struct report_options *options)
{
    if (profile->quality.wall && (options->by == REPORT_BY_FUNCTION || options->by == REPORT_BY_SYSCALL))
        buffer_puts(out, "\nhint: --bottom-up shows where in the program threads wait\n");
}

/* A table of processes follows. */
static bool shows_processes(const struct profile *profile, const struct report_options *options)
{
    return profile->process_count > 1 && !report_by_is_of_processes(options->by) && !options->base;
}

/* How many rows the table may have: those that were asked for, or that the terminal holds. */
static size_t most_rows(const struct profile *profile, const struct report_options *options)
{
    size_t others = OTHER_LINES, processes = profile->process_count;
    if (options->max_rows || !options->height)
        return options->max_rows;
    if (shows_processes(profile, options))
        others += OTHER_LINES_OF_PROCESSES + (processes < MOST_PROCESSES ? processes : MOST_PROCESSES);
    return options->height > others + LEAST_ROWS ? options->height - others : LEAST_ROWS;
}

int report_flat_write(const struct profile *profile, const struct report_options *options, FILE *stream)
{
    if (options->spread)
        return spread_write_text(profile, options, stream);
    struct buffer out = {0};
    put_head(&out, profile, options);
    struct grid form = grid_by(options->by);
    form.max_rows = most_rows(profile, options);
    form.rest_hint = "-n all shows them";
    int result = put_table(&out, profile, options->by, form, options);
    if (!result && shows_processes(profile, options)) {
        buffer_puts(&out, "\n");
        enum report_by by = profile->process_count > MOST_PROCESSES ? REPORT_BY_PROGRAM : REPORT_BY_PROCESS;
        form = grid_by(by);
        form.max_rows = MOST_PROCESSES;
        form.rest_hint = by == REPORT_BY_PROGRAM ? "--by=program shows them" : "--by=process shows them";
        form.brief = true;
        result = put_table(&out, profile, by, form, options);
    }
    put_hint(&out, profile, options);
    put_not_sampled(&out, profile, options);
    if (!result)
        result = text_write(&out, stream);
    buffer_fini(&out);
    return result ? result : report_summary(profile, options, stream);
}
