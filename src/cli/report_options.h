/* SPDX-License-Identifier: MIT
 *
 * The command line of `ptprofil report`. */
#ifndef CLI_REPORT_OPTIONS_H
#define CLI_REPORT_OPTIONS_H

#include "base/error.h"
#include "cli/getopt_error.h"
#include "cli/output_options.h"
#include "profile/filter.h"

#include <stdbool.h>

/* Needs only to be zeroed. Strings point into argv. */
struct report_command {
    bool help;        /* --help was given, and nothing else counts */
    char **files;     /* stored profiles; ends with NULL */
    const char *base; /* the one to compare with, or NULL */
    struct output_options output;
    struct filter filter;
};

/* Reads ARGV, whose first is the name of the subcommand; may change the order of the others. Returns 0, or
 * -EINVAL or -ENOMEM with ERROR saying what is wrong and what is allowed. Free with report_options_fini in
 * either case. */
int report_options_parse(struct report_command *command, int argc, char **argv, struct error *error);
void report_options_fini(struct report_command *command);

extern const struct getopt_set report_options_set;

/* The text of --help. Static. */
const char *report_options_help(void);

#endif
