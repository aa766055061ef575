/* SPDX-License-Identifier: MIT
 *
 * What a reader sees who asked for nothing: where the time went, on one screen. */
#ifndef REPORT_OVERVIEW_H
#define REPORT_OVERVIEW_H

#include "base/buffer.h"
#include "report/report.h"

/* Appends the tables of PROFILE: the heaviest functions and the heaviest paths to them; if several programs have time
 * of their own a table of these; and if these are many, as in a build, that first, and the heaviest command lines. On a
 * terminal (options->height) they are as long as it is high, else functions have options->max_rows. Returns 0 or
 * -ENOMEM. */
int overview_put(struct buffer *out, const struct profile *profile, const struct report_options *options);

/* True if so many programs ran in PROFILE that the tables begin with these and their command lines. Without memory,
 * false. */
bool overview_is_of_build(const struct profile *profile);

#endif
