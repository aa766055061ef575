/* SPDX-License-Identifier: MIT
 *
 * Options for outputs and their form, for all commands that write profiles. */
#ifndef CLI_OUTPUT_OPTIONS_H
#define CLI_OUTPUT_OPTIONS_H

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "front/cli/option_row.h"
#include "profile/profile/budget.h"
#include "profile/report/report.h"

#include <stdbool.h>
#include <stddef.h>

struct output_option {
    const char *path;
    const struct report_format *format; /* NULL until output_options_check, if the ending is unknown */
    bool named;                         /* the format was given by --format */
};

/* How unsampled time is shown. */
enum output_unsampled { OUTPUT_ESTIMATE, OUTPUT_SEPARATE };

/* Zero it before the first use. Strings point into argv. */
struct output_options {
    struct output_option *items;
    size_t count, room;
    enum report_by by;
    enum report_sort sort;
    enum report_names names;
    bool by_given, rows_given;
    size_t rows; /* if rows_given: maximum rows of a table; 0: all */
    bool bottom_up, no_inlines, spread, verbose;
    enum output_unsampled unsampled;
    bool min_given;
    double min_percent;                               /* if min_given */
    struct report_pattern callers, callees, annotate; /* text is NULL if not given */
    const char *sysroot;                              /* directory in which --annotate looks for files, or NULL */
    struct budgets budgets;
    const struct report_format *next_format; /* a --format that belongs to no output yet, or NULL */
    const char *next_format_name;
    const struct report_format *on_screen; /* set by output_options_check: format for the screen */
};

/* Destination of the profile besides the outputs: none, standard error while a command is profiled, or standard
 * output. */
enum output_screen { OUTPUT_NO_SCREEN, OUTPUT_STANDARD_ERROR, OUTPUT_STANDARD_OUTPUT };

void output_options_fini(struct output_options *options);

/* See option_taker. output_take_pattern sets the struct report_pattern of its row. */
option_taker output_take_by, output_take_output, output_take_format, output_take_rows, output_take_min,
    output_take_pattern, output_take_sysroot, output_take_fail_if;

/* Checks that the options fit together, and sets missing formats and the format for SCREEN. Call it after the last
 * option. Returns 0, or -EINVAL with ERROR set. */
int output_options_check(struct output_options *options, enum output_screen screen, struct error *error);

/* Returns true if FORMAT is for people: on a screen, it is cut to the width. */
bool output_options_for_people(const struct report_format *format);

/* Returns the maximum number of functions that --annotate shows; 0: all. */
size_t output_options_annotated(const struct output_options *options);

/* Appends to TEXT each of --callers, --callees and --annotate that matches no function of PROFILE, after a space and
 * with its argument. Returns 0 or -ENOMEM. */
int output_options_unfit(const struct output_options *options, const struct profile *profile, struct buffer *text);

/* Returns the form for files. */
struct report_options output_options_form(const struct output_options *options);

/* Returns the form for FD. If FD is a terminal, tables and trees are cut to its size. */
struct report_options output_options_screen(const struct output_options *options, int fd);

#endif
