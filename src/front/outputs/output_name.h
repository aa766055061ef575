/* SPDX-License-Identifier: MIT
 *
 * Names of output files. They may contain who wrote them and when, so that one command line serves all ranks of a
 * parallel job. */
#ifndef OUTPUTS_OUTPUT_NAME_H
#define OUTPUTS_OUTPUT_NAME_H

#include "common/model/rank.h"

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

struct error;
struct report_format;

/* The replacements for parts of a name. */
struct output_name {
    struct rank rank; /* for %r and %n, and its job for %j */
    const char *host; /* %h */
    pid_t pid;        /* %p */
    time_t time;      /* for %t, in UTC: 20261231T235959Z */
    unsigned ms;      /* milliseconds of this second; printed, as in 20261231T235959.250Z, if exact is set: */
    bool exact;
};

/* Returns the values for this process now, with the rank in its own environment. The host is a static text. */
struct output_name output_name_own(void);

/* Returns the file name for PATTERN, which the caller frees. Replaces %r (the rank, with as many digits as the largest
 * rank), %n (number of ranks), %h, %j, %p, %t and %%. In a job of several ranks, a name with neither %r nor %p gets the
 * rank before its ending of FORMAT, so that ranks do not overwrite each other's files: run.pb.gz becomes run.3.pb.gz.
 * "-" is unchanged. Returns NULL with ERROR set: -EINVAL for an unknown letter, or for %r, %n or %j if they are
 * unknown, or -ENOMEM. */
char *output_name_expand(const struct output_name *name, const char *pattern, const struct report_format *format,
                         struct error *error);

/* Returns true if PATTERN contains %LETTER. */
bool output_name_has(const char *pattern, char letter);

/* Makes the folders for PATH, made from PATTERN, if PATTERN has a part to replace. A name without one that is mistyped
 * remains an error. Returns 0, or -errno with ERROR set. */
int output_name_folders(const char *pattern, const char *path, struct error *error);

#endif
