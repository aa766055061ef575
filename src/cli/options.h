/* SPDX-License-Identifier: MIT
 *
 * The command line. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "base/error.h"
#include "calls/options.h"
#include "doctor/attach.h"
#include "cli/output_options.h"
#include "cli/report_options.h"
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
    OPTIONS_VERSION
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
    const char *help;             /* OPTIONS_HELP: the text; static */
    struct report_command report; /* OPTIONS_REPORT */
    struct top_options top;       /* OPTIONS_TOP */
    const struct semantics *page; /* OPTIONS_SEMANTICS: whose rules to print; NULL: all */
    char **command;               /* ends with NULL; NULL when processes are attached instead */
    struct attach_list targets;   /* owned */
    bool bare;                    /* the command had no "--" before it */
    bool calls_given;             /* --calls was */
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

/* Those of ptprofil record that have no letter, as getopt_long returns them. */
enum options_number {
    OPTION_NAME = 256,
    OPTION_CGROUP,
    OPTION_CONTAINER,
    OPTION_STACKS,
    OPTION_STACK_BYTES,
    OPTION_CLOCK,
    OPTION_CALLS,
    OPTION_SEMANTICS,
    OPTION_HZ,
    OPTION_IMPOSE,
    OPTION_IMPOSE_OUTPUT,
    OPTION_NO_FOLLOW,
    OPTION_WAIT,
    OPTION_OVERHEAD,
    OPTION_MEMORY,
};

/* A part of a list for getopt_long: what says which processes are sampled, and how. */
#define SAMPLING_OPTIONS                                                                                               \
    {"rate", required_argument, NULL, 'F'}, {"freq", required_argument, NULL, 'F'},                                    \
        {"duration", required_argument, NULL, 'd'}, {"pid", required_argument, NULL, 'p'},                             \
        {"name", required_argument, NULL, OPTION_NAME}, {"cgroup", required_argument, NULL, OPTION_CGROUP},            \
        {"container", required_argument, NULL, OPTION_CONTAINER}, {"stacks", required_argument, NULL, OPTION_STACKS},  \
        {"stack-bytes", required_argument, NULL, OPTION_STACK_BYTES},                                                  \
        {"clock", required_argument, NULL, OPTION_CLOCK}, {"no-follow", no_argument, NULL, OPTION_NO_FOLLOW},          \
        {"max-overhead", required_argument, NULL, OPTION_OVERHEAD},                                                    \
    {                                                                                                                  \
        "max-memory", required_argument, NULL, OPTION_MEMORY                                                           \
    }

/* Reads ARGV. Returns 0, or -EINVAL or -ENOMEM with ERROR saying what is wrong and what is allowed. Free with
 * options_fini in either case. */
int options_parse(struct options *options, int argc, char **argv, struct error *error);
void options_fini(struct options *options);

/* The same of `ptprofil record`, whose options are those of no command, too: ARGV begins with its name or ours. OPTIONS
 * is what options_begin makes it: all as if nothing had been said. */
int options_parse_record(struct options *options, int argc, char **argv, struct error *error);
void options_begin(struct options *options);

/* Parts of it, for commands with some of these options. Takes OPTION, which getopt_long returned for SET, with optarg.
 * Takes what is behind the options, or sees that processes were named instead. Return as options_parse. */
int options_take(struct options *options, int option, char **argv, const struct getopt_set *set, struct error *error);
int options_take_command(struct options *options, int argc, char **argv, struct error *error);

/* Those of `ptprofil record`. */
extern const struct getopt_set options_set;

#endif
