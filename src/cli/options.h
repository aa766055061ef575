/* SPDX-License-Identifier: MIT
 *
 * The command line. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "base/error.h"
#include "calls/options.h"
#include "doctor/attach.h"
#include "profile/filter.h"
#include "cli/option_row.h"
#include "cli/output_options.h"
#include "cli/switch_options.h"
#include "session/stacks.h"
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
    char **command;                 /* ends with NULL; NULL when processes are attached instead */
    struct attach_list targets;     /* owned */
    bool bare;                      /* the command had no "--" before it */
    bool calls_given;               /* --calls was */
    struct output_options output;
    struct filter filter;            /* what of the profile is wanted */
    uint32_t rate;                   /* Hz, or RATE_AUTO */
    uint64_t duration_ns;            /* 0: until the command ends */
    struct switch_options switching; /* when samples are taken */
    bool wall;                       /* waiting threads are sampled, too */
    uint32_t max_overhead;           /* percent; 0: off */
    uint64_t max_memory;             /* bytes for stacks; 0: any */
    enum stacks_mode stacks;
    uint32_t stack_bytes;              /* most of a stack that is copied */
    uint32_t stack_deepest;            /* the same of stacks that prove deeper */
    const struct semantics *semantics; /* whose rules the calls follow */
    uint32_t hz;                       /* ticks of the calls a second of CPU time */
    enum calls_mode calls;
    struct impose impose;      /* a call made on the programs' behalf */
    const char *impose_output; /* where to write what it leaves, or NULL */
    unsigned verbose;
    bool quiet, follow, wait;
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
    options_take_duration, options_take_clock, options_take_stacks, options_take_stack_bytes, options_take_overhead,
    options_take_memory, options_take_calls, options_take_semantics, options_take_impose, options_take_verbose,
    options_take_version, options_take_help;

#endif
