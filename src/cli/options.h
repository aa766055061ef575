/* SPDX-License-Identifier: MIT
 *
 * The command line. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "base/error.h"
#include "profile/filter.h"
#include "cli/option_row.h"
#include "cli/output_options.h"
#include "session/options.h"
#include "top/view.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum options_action {
    OPTIONS_RUN,
    OPTIONS_REPORT,
    OPTIONS_SEMANTICS,
    OPTIONS_DOCTOR,
    OPTIONS_TOP,
    OPTIONS_HELP,
    OPTIONS_VERSION,
    OPTIONS_USAGE /* nothing was given: the short help, on standard error */
};

/* What --help prints. */
enum options_help {
    HELP_SHORT, /* examples and common options */
    HELP_ALL,   /* all options, in groups */
    HELP_LIST   /* a table of options and commands, for scripts */
};

/* Limits of arguments. */
enum { OPTIONS_HIGHEST_HZ = 10000, OPTIONS_LONGEST_INTERVAL = 60 };

/* What only ptprofil report has. */
struct report_command {
    char **files;     /* stored profiles; ends with NULL */
    const char *base; /* the one to compare with, or NULL */
};

/* What only ptprofil top has. */
struct top_options {
    enum view_by by;
    uint32_t seconds;           /* of the last figures, and between tables */
    const char *command_output; /* a file, or NULL */
};

/* Strings point into argv. */
struct options {
    enum options_action action;
    const struct subcommand *own;   /* ptprofil's command that was given */
    const struct subcommand *topic; /* OPTIONS_HELP: the command that help is wanted for */
    enum options_help help;         /* OPTIONS_HELP: which */
    struct report_command report;   /* OPTIONS_REPORT */
    struct top_options top;         /* OPTIONS_TOP */
    const struct semantics *page;   /* OPTIONS_SEMANTICS: whose rules to print; NULL: all */
    struct session_options session; /* OPTIONS_RUN, OPTIONS_TOP: what is profiled, and how */
    const char *only_ranks;         /* a list, see rank_is_list: other ranks are not profiled; or NULL */
    bool bare;                      /* the command had no "--" before it */
    bool calls_given;               /* --calls was */
    struct output_options output;
    struct filter filter; /* what of the profile is wanted */
    unsigned verbose;
};

/* Reads ARGV. Returns 0, or -EINVAL or -ENOMEM with ERROR saying what is wrong and what is allowed. Free with
 * options_fini in either case. */
int options_parse(struct options *options, int argc, char **argv, struct error *error);
void options_fini(struct options *options);

/* See struct subcommand. That of `ptprofil record`; and the part of it that takes CMD, or sees that processes were
 * named instead. */
int options_finish_record(struct options *options, int argc, char **argv, struct error *error);
int options_take_command(struct options *options, int argc, char **argv, struct error *error);

/* See option_taker. */
option_taker options_take_pid, options_take_name, options_take_cgroup, options_take_container, options_take_rate,
    options_take_duration, options_take_clock, options_take_only_ranks, options_take_own_cpus, options_take_stacks,
    options_take_stack_bytes, options_take_overhead, options_take_memory, options_take_calls, options_take_semantics,
    options_take_impose, options_take_verbose, options_take_version, options_take_help;

#endif
