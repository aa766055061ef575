/* SPDX-License-Identifier: MIT
 *
 * Options of outputs: what is written, in which form, and when. */
#ifndef OUTPUTS_OPTIONS_H
#define OUTPUTS_OPTIONS_H

#include "profile/profile/budget.h"
#include "profile/profile/filter.h"
#include "profile/push/target.h"
#include "profile/report/report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct output_option {
    const char *path;
    const struct report_format *format; /* NULL until all options are read, if the ending is unknown */
    bool named;                         /* the format was given by --format */
    bool temporary;                     /* a page for --open only, in a new folder */
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
    bool bottom_up, no_inlines, spread, verbose, open;
    bool idle; /* tables for people have rows for idle threads, see profile/idle.h */
    enum output_unsampled unsampled;
    bool min_given;
    double min_percent;                               /* if min_given */
    struct report_pattern callers, callees, annotate; /* text is NULL if not given */
    const char *sysroot;                              /* directory in which --annotate looks for files, or NULL */
    struct filter filter;                             /* samples to keep */
    struct budgets budgets;
    const struct report_format *next_format; /* a --format that belongs to no output yet, or NULL */
    const char *next_format_name;
    const struct report_format *on_screen; /* format for the screen, once all options are read */
};

/* Options of profiles of intervals. Zeroed: one profile of all. */
struct interval_options {
    uint64_t every_ns;        /* length of an interval; 0: no intervals */
    struct push_options push; /* servers to send profiles to */
};

void output_options_fini(struct output_options *options);

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
