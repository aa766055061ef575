/* SPDX-License-Identifier: MIT
 *
 * The tree of calls, as a part of another view. */
#ifndef REPORT_TREE_H
#define REPORT_TREE_H

#include "common/base/buffer.h"
#include "profile/report/report.h"

#include <stddef.h>

/* Appends the heaviest paths of PROFILE, with a line of titles: the part of the tree of calls that fits into
 * MOST_LINES lines, see branches_fit. Each chain of calls is one line, without start-up code. Returns 0 or -ENOMEM. */
int tree_put_paths(struct buffer *out, const struct profile *profile, const struct report_options *options,
                   size_t most_lines);

#endif
