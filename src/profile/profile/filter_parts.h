/* SPDX-License-Identifier: MIT
 *
 * Internal interface between the files of a filter. */
#ifndef PROFILE_FILTER_PARTS_H
#define PROFILE_FILTER_PARTS_H

#include "profile/profile/filter.h"

/* A bit for each list of a filter, named after the option that adds to it. */
enum { FOCUS = 1, IGNORE = 2, PIDS = 4, TIDS = 8, COMMS = 16, MODULES = 32, BETWEEN = 64, RANKS = 128 };

/* Returns the bit of the option in ASKED, as given; 0 if it is not a filter. */
unsigned filter_list_of(const char *asked);

#endif
