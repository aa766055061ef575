/* SPDX-License-Identifier: MIT
 *
 * The options that choose samples: the same for a recording and for a stored profile, but for those that have another
 * meaning there. */
#ifndef CLI_FILTER_OPTIONS_H
#define CLI_FILTER_OPTIONS_H

#include "base/buffer.h"
#include "cli/options.h"
#include "profile/filter.h"

/* See option_taker. All but the last one add to the list of struct filter that the row is about. */
option_taker filter_take_pattern, filter_take_number, filter_take_name, filter_take_ranks, filter_take_between;

/* Appends the options that were given, each with a space before it, to TEXT. */
void filter_options_list(const struct filter *filter, struct buffer *text);

#endif
