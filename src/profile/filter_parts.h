/* SPDX-License-Identifier: MIT
 *
 * What the parts of a filter share among themselves. */
#ifndef PROFILE_FILTER_PARTS_H
#define PROFILE_FILTER_PARTS_H

#include "profile/filter.h"

/* The lists of a filter, by the options that add to them: a bit each. */
enum { FOCUS = 1, IGNORE = 2, PIDS = 4, TIDS = 8, COMMS = 16, MODULES = 32, BETWEEN = 64, RANKS = 128 };

/* Returns the bit of the option ASKED, written as given; 0 if it is not a filter. */
unsigned filter_list_of(const char *asked);

#endif
