/* SPDX-License-Identifier: MIT
 *
 * The options that say what is written, and how: the same for all that write profiles. */
#ifndef CLI_OUTPUT_OPTIONS_H
#define CLI_OUTPUT_OPTIONS_H

#include "base/buffer.h"
#include "base/error.h"
#include "profile/budget.h"
#include "report/report.h"

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>

/* They belong to record and report alike: OUTPUT_OPTIONS is a part of a list for getopt_long, with
 * OUTPUT_SHORT_OPTIONS. */
enum output_option_number {
    OUTPUT_FORMAT = 512,
    OUTPUT_BY,
    OUTPUT_SORT,
    OUTPUT_NAMES,
    OUTPUT_NO_INLINES,
    OUTPUT_BOTTOM_UP,
    OUTPUT_MIN,
    OUTPUT_CALLERS,
    OUTPUT_CALLEES,
    OUTPUT_ANNOTATE,
    OUTPUT_SYSROOT,
    OUTPUT_FAIL_IF
};

#define OUTPUT_SHORT_OPTIONS "n:o:"
#define OUTPUT_OPTIONS                                                                                                 \
    {"output", required_argument, NULL, 'o'}, {"format", required_argument, NULL, OUTPUT_FORMAT},                      \
        {"by", required_argument, NULL, OUTPUT_BY}, {"sort", required_argument, NULL, OUTPUT_SORT},                    \
        {"rows", required_argument, NULL, 'n'}, {"names", required_argument, NULL, OUTPUT_NAMES},                      \
        {"bottom-up", no_argument, NULL, OUTPUT_BOTTOM_UP}, {"min", required_argument, NULL, OUTPUT_MIN},              \
        {"callers", required_argument, NULL, OUTPUT_CALLERS}, {"callees", required_argument, NULL, OUTPUT_CALLEES},    \
        {"annotate", required_argument, NULL, OUTPUT_ANNOTATE}, {"sysroot", required_argument, NULL, OUTPUT_SYSROOT},  \
        {"no-inlines", no_argument, NULL, OUTPUT_NO_INLINES},                                                          \
    {                                                                                                                  \
        "fail-if", required_argument, NULL, OUTPUT_FAIL_IF                                                             \
    }

struct output_option {
    const char *path;
    const struct report_format *format;
};

/* Needs only to be zeroed. Strings point into argv. */
struct output_options {
    struct output_option *items;
    size_t count, room;
    enum report_by by;
    enum report_sort sort;
    enum report_names names;
    bool rows_given;
    size_t rows; /* of a table, if they were given; 0: all */
    bool bottom_up, no_inlines, verbose;
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

/* True if OPTION, as getopt_long returns it, is one of OUTPUT_OPTIONS. */
bool output_options_has(int option);

/* Takes OPTION, which is one, with its argument TEXT. Returns 0, or -EINVAL or -ENOMEM with ERROR saying what is wrong
 * and what is allowed. */
int output_options_take(struct output_options *options, int option, const char *text, struct error *error);

/* To be called when all have been taken: chooses what SCREEN shows. Returns 0, or -EINVAL with ERROR set. */
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
