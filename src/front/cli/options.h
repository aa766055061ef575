/* SPDX-License-Identifier: MIT
 *
 * The command line. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "common/base/error.h"
#include "front/cli/option_row.h"
#include "front/dump/dump.h"
#include "front/outputs/options.h"
#include "front/session/options.h"
#include "front/top/view.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct interval_helpers;

enum options_action {
    OPTIONS_RUN,
    OPTIONS_REPORT,
    OPTIONS_SEMANTICS,
    OPTIONS_DOCTOR,
    OPTIONS_TOP,
    OPTIONS_HELP,
    OPTIONS_MANUAL,
    OPTIONS_VERSION,
    OPTIONS_SCHEMA,
    OPTIONS_DUMP,
    OPTIONS_USAGE /* no arguments: print the short help to standard error */
};

/* What --help prints. */
enum options_help {
    HELP_SHORT, /* examples and common options */
    HELP_ALL,   /* all options, in groups */
    HELP_LIST   /* a table of options and commands, for scripts */
};

/* Limits of arguments. */
enum { OPTIONS_HIGHEST_HZ = 10000 };

/* Only for ptprofil report. */
struct report_command {
    char **files;     /* stored profiles; ends with NULL */
    const char *base; /* --diff: the profile to compare with, or NULL */
    bool interactive; /* walk through it on a full screen */
};

/* Only for ptprofil top. */
struct top_options {
    enum view_by by;
    uint32_t seconds;           /* length of the recent time, and time between tables */
    const char *command_output; /* file for the command's output, or NULL */
};

/* Strings point into argv. */
struct options {
    enum options_action action;
    const struct subcommand *own;     /* the command of ptprofil; never NULL */
    const struct subcommand *topic;   /* OPTIONS_HELP: the command to print help for */
    enum options_help help;           /* OPTIONS_HELP: how much */
    const struct manual_page *manual; /* OPTIONS_MANUAL: the page to show */
    struct report_command report;     /* OPTIONS_REPORT */
    struct top_options top;           /* OPTIONS_TOP */
    struct dump_options dump;         /* OPTIONS_DUMP */
    const struct semantics *page;     /* OPTIONS_SEMANTICS: the system to print; NULL: all of them */
    const char *cluster;              /* OPTIONS_SCHEMA: whose tables are made; NULL: one server */
    struct session_options session;   /* OPTIONS_RUN, OPTIONS_TOP */
    const char *only_ranks;           /* list of ranks (see rank_is_list) to profile; NULL: all */
    uint64_t duty_ns, duty_period_ns; /* profiled time, in each period of that length; 0: all of it */
    struct error missing;             /* of the first search that found no process; or none */
    bool bare;                        /* no "--" before CMD */
    bool calls_given;                 /* --calls was given */
    struct output_options output;
    struct interval_options intervals;
    const struct interval_helpers *helpers; /* they run already, and others end them; or NULL */
    unsigned verbose;
};

/* Reads ARGV. Returns 0, or -EINVAL, -ENOMEM or another -errno with ERROR set. Free with options_fini in either
 * case. */
int options_parse(struct options *options, int argc, char **argv, struct error *error);
void options_fini(struct options *options);

/* options_finish_record is the `finish` of `ptprofil record`. options_take_command is its last part: it takes CMD, or
 * checks that -p or a similar option replaces it. */
int options_finish_record(struct options *options, int argc, char **argv, struct error *error);
int options_take_command(struct options *options, int argc, char **argv, struct error *error);

/* See option_taker. */
option_taker options_take_pid, options_take_name, options_take_cgroup, options_take_container, options_take_rate,
    options_take_duration, options_take_every, options_take_duty, options_take_push, options_take_label,
    options_take_clock, options_take_only_ranks, options_take_own_cpus, options_take_stacks, options_take_stack_bytes,
    options_take_overhead, options_take_memory, options_take_calls, options_take_semantics, options_take_impose,
    options_take_verbose, options_take_version, options_take_help, options_take_reader_user;

/* output_options.c: options of outputs and their form. output_take_pattern sets the struct report_pattern of its
 * row. */
option_taker output_take_by, output_take_output, output_take_format, output_take_rows, output_take_min,
    output_take_pattern, output_take_sysroot, output_take_fail_if;

/* Destination of the profile besides the outputs: none, standard error while a command is profiled, or standard
 * output. */
enum output_screen { OUTPUT_NO_SCREEN, OUTPUT_STANDARD_ERROR, OUTPUT_STANDARD_OUTPUT };

/* Checks that the options of outputs fit together, and sets missing formats and the format for SCREEN. Call it after
 * the last option. Returns 0, or -EINVAL with ERROR set. */
int output_options_check(struct output_options *options, enum output_screen screen, struct error *error);

/* filter_options.c: options that select samples. All except the last add to the list in struct filter at row->at. */
option_taker filter_take_pattern, filter_take_number, filter_take_name, filter_take_ranks, filter_take_between;

/* switch_options.c: options for when samples are taken. switch_options_check checks them together, after the last
 * option. Returns 0, or -EINVAL with ERROR set. */
option_taker switch_take_delay, switch_take_toggle, switch_take_control;
int switch_options_check(const struct switch_options *options, struct error *error);

/* report_options.c and top_options.c: options that only `ptprofil report` or `ptprofil top` has; see struct
 * subcommand. */
option_taker report_take_diff, report_take_fail_if_diff, top_take_interval;
int report_options_finish(struct options *options, int argc, char **argv, struct error *error);
void top_options_begin(struct options *options);
int top_options_finish(struct options *options, int argc, char **argv, struct error *error);

/* dump_command.c: options of `ptprofil dump`. */
option_taker dump_take_interval;
void dump_options_begin(struct options *options);
int dump_options_finish(struct options *options, int argc, char **argv, struct error *error);

/* system_option.c: the argument SYSTEM of --semantics and of `ptprofil semantics`. Sets *FOUND to the system called
 * TEXT. PCSAMPLE: "pcsample" is also allowed. WHAT: name of the option or command. Returns 0, or -EINVAL with ERROR
 * listing the systems. */
int system_option_parse(const struct semantics **found, const char *what, const char *text, bool pcsample,
                        struct error *error);

#endif
