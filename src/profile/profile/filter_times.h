/* SPDX-License-Identifier: MIT
 *
 * Filters samples by the time at which they were taken. */
#ifndef PROFILE_FILTER_TIMES_H
#define PROFILE_FILTER_TIMES_H

#include "profile/profile/filter.h"

/* Sets FOUND of each sample of PROFILE with a part in one of STRETCHES. Returns false if memory runs out. */
bool filter_times_find(const struct filter_stretches *stretches, const struct profile *profile, bool *found);

/* Cuts the samples of PROFILE, and their instants, down to the parts in STRETCHES. Without STRETCHES, everything stays.
 * Does not change processes. Returns false if memory runs out. */
bool filter_times_cut(const struct filter_stretches *stretches, struct profile *profile);

/* Updates the samples' indices in the instants of PROFILE. PLACES has the new index of each sample, PROFILE_NONE for
 * removed ones. */
void filter_times_move(struct profile *profile, const uint32_t *places);

#endif
