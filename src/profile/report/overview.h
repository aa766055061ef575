/* SPDX-License-Identifier: MIT
 *
 * The default view: where the time went, on one screen. */
#ifndef REPORT_OVERVIEW_H
#define REPORT_OVERVIEW_H

#include "common/base/buffer.h"
#include "profile/report/report.h"

/* Appends the tables of PROFILE: the heaviest functions and the heaviest paths to them. If several programs have self
 * time, they get a table. If many programs ran, as in a build, that table comes first, followed by the heaviest command
 * lines. On a terminal (options->height) the tables fill the height; otherwise functions have options->max_rows.
 * Returns 0 or -ENOMEM. */
int overview_put(struct buffer *out, const struct profile *profile, const struct report_options *options);

/* Returns true if many programs ran in PROFILE, so that the view begins with them and their command lines. Returns
 * false if memory runs out. */
bool overview_is_of_build(const struct profile *profile);

#endif
