/* SPDX-License-Identifier: MIT
 *
 * The options that say what is written, and how: the same for all that write profiles. */
#ifndef FRONT_OUTPUT_OPTIONS_H
#define FRONT_OUTPUT_OPTIONS_H

#include "base/error.h"
#include "report/report.h"

#include <stdbool.h>
#include <stddef.h>

struct output_option {
    const char *path;
    const struct report_format *format;
};

/* Needs only to be zeroed. Strings point into argv. */
struct output_options {
    struct output_option *items;
    size_t count, room;
    enum report_by by;
    bool bottom_up;
    const struct report_format *next_format; /* of the next output, or NULL */
    const char *next_format_name;
};

void output_options_fini(struct output_options *options);

/* Take --format=NAME, -o PATH, --by=NAME. Return 0, or -EINVAL or -ENOMEM with ERROR saying what is wrong and what is
 * allowed. */
int output_options_format(struct output_options *options, const char *name, struct error *error);
int output_options_add(struct output_options *options, const char *path, struct error *error);
int output_options_by(struct output_options *options, const char *name, struct error *error);

/* To be called when all have been taken. Returns 0, or -EINVAL with ERROR set. */
int output_options_check(const struct output_options *options, struct error *error);

/* The form of what is written to files. */
struct report_options output_options_form(const struct output_options *options);

/* The form of what is written to FD, which may be a terminal: what one shows is cut to it, what a file gets is not. */
struct report_options output_options_screen(const struct output_options *options, int fd);

#endif
