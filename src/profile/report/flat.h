/* SPDX-License-Identifier: MIT
 *
 * The parts of the flat profile for people. flat.c puts them together: the heading, then either the overview or the
 * tables of table.h. */
#ifndef REPORT_FLAT_H
#define REPORT_FLAT_H

#include <stdbool.h>
#include <stddef.h>

struct buffer;
struct profile;
struct report_options;

/* Appends the command, key figures for reading the table, the options that chose the samples, and an empty line. */
void flat_head_put(struct buffer *out, const struct profile *profile, const struct report_options *options);

/* Appends the default view of PROFILE, where the time went, on one screen: the heaviest functions and the heaviest
 * paths to them. If several programs have self time, they get a table. If many programs ran, as in a build, that table
 * comes first, followed by the heaviest command lines. On a terminal (options->height) the tables fill the height;
 * otherwise functions have options->max_rows. Returns 0 or -ENOMEM. */
int flat_overview_put(struct buffer *out, const struct profile *profile, const struct report_options *options);

/* Returns true if many programs ran in PROFILE, so that the view begins with them and their command lines. Returns
 * false if memory runs out. */
bool flat_overview_is_of_build(const struct profile *profile);

/* Appends the heaviest paths of PROFILE, with a line of titles: the part of the tree of calls that fits into
 * MOST_LINES lines, see branches_fit. Each chain of calls is one line, without start-up code. Returns 0 or -ENOMEM.
 * Defined in tree.c. */
int tree_put_paths(struct buffer *out, const struct profile *profile, const struct report_options *options,
                   size_t most_lines);

#endif
