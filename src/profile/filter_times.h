/* SPDX-License-Identifier: MIT
 *
 * The part of a filter that is about when samples were taken. */
#ifndef PROFILE_FILTER_TIMES_H
#define PROFILE_FILTER_TIMES_H

#include "profile/filter.h"

/* Sets FOUND, by sample of PROFILE, of those of which a part was in one of STRETCHES. Returns false if memory runs
 * out. */
bool filter_times_find(const struct filter_stretches *stretches, const struct profile *profile, bool *found);

/* Cuts the samples of PROFILE, and their instants, down to what was in one of STRETCHES; all stays if none exist.
 * Its processes are not changed. Returns false if memory runs out. */
bool filter_times_cut(const struct filter_stretches *stretches, struct profile *profile);

/* Has the instants of PROFILE refer to the samples where these are now: PLACES has that of each, PROFILE_NONE of those
 * that have gone. */
void filter_times_move(struct profile *profile, const uint32_t *places);

#endif
