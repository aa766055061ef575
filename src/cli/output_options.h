/* SPDX-License-Identifier: MIT
 *
 * The options that say what is written, and how: the same for all that write profiles. */
#ifndef CLI_OUTPUT_OPTIONS_H
#define CLI_OUTPUT_OPTIONS_H

#include "base/buffer.h"
#include "base/error.h"
#include "cli/option_row.h"
#include "profile/budget.h"
#include "report/report.h"

#include <stdbool.h>
#include <stddef.h>

struct output_option {
    const char *path;
    const struct report_format *format; /* NULL until output_options_check if the name does not tell it */
    bool named;                         /* by --format */
};

/* How time is shown that no sample stands for. */
enum output_unsampled { OUTPUT_ESTIMATE, OUTPUT_SEPARATE };

/* Zero it before the first use. Strings point into argv. */
struct output_options {
    struct output_option *items;
    size_t count, room;
    enum report_by by;
    enum report_sort sort;
    enum report_names names;
    bool by_given, rows_given;
    size_t rows; /* of a table, if they were given; 0: all */
    bool bottom_up, no_inlines, spread, verbose;
    enum output_unsampled unsampled;
    bool min_given;
    double min_percent;                               /* if it was given */
    struct report_pattern callers, callees, annotate; /* not given: without a text */
    const char *sysroot;                              /* below which --annotate looks for files, or NULL */
    struct budgets budgets;
    const struct report_format *next_format; /* of the next output, or NULL */
    const char *next_format_name;
    const struct report_format *on_screen; /* what the screen shows, once all have been checked */
};

/* Where that goes which is no output: nowhere, to the standard error of a command that is profiled, or to standard
 * output. */
enum output_screen { OUTPUT_NO_SCREEN, OUTPUT_STANDARD_ERROR, OUTPUT_STANDARD_OUTPUT };

void output_options_fini(struct output_options *options);

/* See option_taker. output_take_pattern sets the struct report_pattern that the row is about. */
option_taker output_take_by, output_take_output, output_take_format, output_take_rows, output_take_min,
    output_take_pattern, output_take_sysroot, output_take_fail_if;

/* To be called when all have been taken: chooses the format of what has none yet, and what SCREEN shows. Returns 0, or
 * -EINVAL with ERROR set. */
int output_options_check(struct output_options *options, enum output_screen screen, struct error *error);

/* True if FORMAT is for people: what a screen shows of it is cut to it. */
bool output_options_for_people(const struct report_format *format);

/* How many functions --annotate shows at the most; 0: all. */
size_t output_options_annotated(const struct output_options *options);

/* Appends to TEXT those of --callers, --callees and --annotate that no function of PROFILE matches, as they were given,
 * each with a space before it. Returns 0 or -ENOMEM. */
int output_options_unfit(const struct output_options *options, const struct profile *profile, struct buffer *text);

/* The form of what is written to files. */
struct report_options output_options_form(const struct output_options *options);

/* The form of what is written to FD, which may be a terminal: what one shows is cut to it, what a file gets is not. */
struct report_options output_options_screen(const struct output_options *options, int fd);

#endif
