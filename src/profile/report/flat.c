/* SPDX-License-Identifier: MIT
 *
 * The flat profile, for people: the command, where its time went, and the quality of the data. Each time is rounded
 * by itself, so a column may differ from its total in the last digit. The samples add up exactly. */
#include "profile/report/report.h"

#include "common/base/buffer.h"
#include "common/text/text.h"
#include "profile/profile/label.h"
#include "profile/profile/profile.h"
#include "profile/report/flat.h"
#include "profile/report/spread.h"
#include "profile/report/table.h"
#include "profile/report/table_layout.h"

/* Maximum rows of the table of processes, if it follows another table. */
enum { MOST_PROCESSES = 10 };

/* On a terminal: the lines of a view that are not rows of its tables (head, titles, sums, prompt), and the least
 * number of rows, even on a low terminal. */
enum { OTHER_LINES = 9, OTHER_LINES_OF_PROCESSES = 4, LEAST_ROWS = 10 };

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

/* True if a table of processes follows. */
static bool shows_processes(const struct profile *profile, const struct report_options *options)
{
    return profile->process_count > 1 && !report_by_is_of_processes(options->by) && !options->base;
}

/* Returns the maximum number of rows in the table: the requested number, or as many as fit on the terminal. */
static size_t most_rows(const struct profile *profile, const struct report_options *options)
{
    size_t others = OTHER_LINES, processes = profile->process_count;
    if (options->max_rows || !options->height)
        return options->max_rows;
    if (shows_processes(profile, options))
        others += OTHER_LINES_OF_PROCESSES + (processes < MOST_PROCESSES ? processes : MOST_PROCESSES);
    return options->height > others + LEAST_ROWS ? options->height - others : LEAST_ROWS;
}

static int put_tables(struct buffer *out, const struct profile *profile, const struct report_options *options)
{
    struct table_form form = table_form_by(options->by);
    form.max_rows = most_rows(profile, options);
    int result = table_put(out, profile, options->by, form, options);
    if (result || !shows_processes(profile, options))
        return result;
    buffer_puts(out, "\n");
    enum report_by by = profile->process_count > MOST_PROCESSES ? REPORT_BY_PROGRAM : REPORT_BY_PROCESS;
    form = table_form_by(by);
    form.max_rows = MOST_PROCESSES;
    form.rest_hint = by == REPORT_BY_PROGRAM ? "--by=program shows them" : "--by=process shows them";
    form.brief = true;
    return table_put(out, profile, by, form, options);
}

int report_flat_write(const struct profile *profile, const struct report_options *options, FILE *stream)
{
    if (options->spread)
        return spread_write_text(profile, options, stream);
    struct buffer out = {0};
    flat_head_put(&out, profile, options);
    int result = options->overview && !options->base ? flat_overview_put(&out, profile, options)
                                                     : put_tables(&out, profile, options);
    put_not_sampled(&out, profile, options);
    if (!result)
        result = text_write(&out, stream);
    buffer_fini(&out);
    return result ? result : summary_write(profile, options, stream);
}
