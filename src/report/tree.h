/* SPDX-License-Identifier: MIT
 *
 * The tree of calls, as a part of another view. */
#ifndef REPORT_TREE_H
#define REPORT_TREE_H

#include "base/buffer.h"
#include "report/report.h"

#include <stddef.h>

/* Appends the heaviest paths of PROFILE, with a line of titles: the tree of calls, as far as MOST_LINES lines hold it,
 * see branches_fit. Chains of calls are one line each, without the code that starts every program. Returns 0 or
 * -ENOMEM. */
int tree_put_paths(struct buffer *out, const struct profile *profile, const struct report_options *options,
                   size_t most_lines);

#endif
