/* SPDX-License-Identifier: MIT
 *
 * The names of output files, which may say who wrote them and when: one command line then serves all ranks of a
 * parallel job. */
#ifndef CLI_OUTPUT_NAME_H
#define CLI_OUTPUT_NAME_H

#include "base/error.h"
#include "model/rank.h"
#include "report/report.h"

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

/* What the parts of a name are replaced by. */
struct output_name {
    struct rank rank; /* %r and %n, and %j its job */
    const char *host; /* %h */
    pid_t pid;        /* %p */
    time_t time;      /* %t, in UTC: 20261231T235959Z */
    unsigned ms;      /* of this second; printed, as in 20261231T235959.250Z, with: */
    bool exact;
};

/* Returns the values for this process now, with its rank from its own environment. The host is static. */
struct output_name output_name_own(void);

/* Returns the file name for PATTERN, to be freed. Replaces %r (the rank, with as many digits as the largest rank
 * has), %n (number of ranks), %h, %j, %p, %t and %%. In a job of several ranks, a name with neither %r nor %p gets
 * the rank before its ending of FORMAT, so that no rank overwrites another's file: run.pb.gz becomes run.3.pb.gz.
 * "-" is unchanged. Returns NULL with ERROR set: -EINVAL for an unknown letter, or for %r, %n or %j where these are
 * unknown, or -ENOMEM. */
char *output_name_expand(const struct output_name *name, const char *pattern, const struct report_format *format,
                         struct error *error);

/* True if PATTERN has %LETTER. */
bool output_name_has(const char *pattern, char letter);

/* Makes the folders that the name made of PATTERN lies in, if PATTERN has a part to replace before its last slash.
 * Returns 0, or -errno with ERROR set. */
int output_name_folders(const char *pattern, const char *path, struct error *error);

#endif
