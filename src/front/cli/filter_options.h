/* SPDX-License-Identifier: MIT
 *
 * Options that select samples, of a new recording or of stored profiles. */
#ifndef CLI_FILTER_OPTIONS_H
#define CLI_FILTER_OPTIONS_H

#include "common/base/buffer.h"
#include "front/cli/options.h"
#include "profile/profile/filter.h"

/* See option_taker. All except the last add to the list in struct filter at row->at. */
option_taker filter_take_pattern, filter_take_number, filter_take_name, filter_take_ranks, filter_take_between;

/* Appends all filter options of the command line to TEXT, each after a space, with a note on what is easily
 * misunderstood. */
void filter_options_list(const struct filter *filter, struct buffer *text);

#endif
