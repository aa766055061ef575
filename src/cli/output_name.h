/* SPDX-License-Identifier: MIT
 *
 * The names of output files, which may say who wrote them and when: one command line then serves all ranks of a
 * parallel job. */
#ifndef CLI_OUTPUT_NAME_H
#define CLI_OUTPUT_NAME_H

#include "base/error.h"
#include "model/rank.h"
#include "report/report.h"

#include <sys/types.h>
#include <time.h>

/* What the parts of a name are replaced by. */
struct output_name {
    struct rank rank; /* %r and %n, and %j its job */
    const char *host; /* %h */
    pid_t pid;        /* %p */
    time_t time;      /* %t, in UTC: 20261231T235959Z */
};

/* That of this process now: its rank by its own environment. The host is static. */
struct output_name output_name_own(void);

/* Returns the name of the file that PATTERN names: with %r (the number of the rank; as many digits as the largest one
 * needs), %n (how many ranks there are), %h, %j, %p and %t replaced, and %% as a percent sign. The name of a job of
 * several ranks that has neither %r nor %p gets the rank before its ending of FORMAT, so that no rank overwrites the
 * file of another: run.pb.gz becomes run.3.pb.gz. "-" stays as it is. The caller frees it. NULL: ERROR is set, -EINVAL
 * for an unknown letter, or for %r, %n or %j where that is not known, or -ENOMEM. */
char *output_name_expand(const struct output_name *name, const char *pattern, const struct report_format *format,
                         struct error *error);

/* Makes the folders that the name made of PATTERN lies in, if PATTERN has a part to replace before its last slash.
 * Returns 0, or -errno with ERROR set. */
int output_name_folders(const char *pattern, const char *path, struct error *error);

#endif
