/* SPDX-License-Identifier: MIT
 *
 * Internal interfaces between the files of a filter. */
#ifndef PROFILE_FILTER_PARTS_H
#define PROFILE_FILTER_PARTS_H

#include <stdbool.h>
#include <stdint.h>

struct filter_stretches;
struct profile;

/* A bit for each list of a filter, named after the option that adds to it. */
enum { FOCUS = 1, IGNORE = 2, PIDS = 4, TIDS = 8, COMMS = 16, MODULES = 32, BETWEEN = 64, RANKS = 128 };

/* Returns the bit of the option in ASKED, as given; 0 if it is not a filter. */
unsigned filter_list_of(const char *asked);

/* filter_times.c filters samples by the time at which they were taken. */

/* Sets FOUND of each sample of PROFILE with a part in one of STRETCHES. Returns false if memory runs out. */
bool filter_times_find(const struct filter_stretches *stretches, const struct profile *profile, bool *found);

/* Cuts the samples of PROFILE, and their instants, down to the parts in STRETCHES. Without STRETCHES, everything stays.
 * Does not change processes. Returns false if memory runs out. */
bool filter_times_cut(const struct filter_stretches *stretches, struct profile *profile);

/* Updates the samples' indices in the instants of PROFILE. PLACES has the new index of each sample, PROFILE_NONE for
 * removed ones. */
void filter_times_move(struct profile *profile, const uint32_t *places);

#endif
