/* SPDX-License-Identifier: MIT
 *
 * Merges several profiles into one. */
#ifndef PROFILE_MERGE_H
#define PROFILE_MERGE_H

#include <stdint.h>

struct builder;
struct profile;
struct profile_quality;

/* Adds FROM to INTO. Equal processes, threads and stacks are merged. Parts that no sample of FROM uses are left out;
 * new parts are added in the order in which FROM's samples first use them. Check into->failed afterwards. */
void merge_profile(struct builder *into, const struct profile *from);

/* Returns a new profile: first the processes of BASE (NULL: none), then, separately, PROFILE's. Each part occurs once,
 * in the order of first use. Returns NULL if memory runs out. */
struct profile *merge_with_base(const struct profile *base, const struct profile *profile);

/* Makes the times of BUILDER's profile relative to its beginning, or to the beginning of the next profile, whichever is
 * earlier. BEGAN_NS: real time at which the next profile began (0: unknown). Returns the delay to add to the times of
 * the next profile. */
uint64_t merge_align(struct builder *builder, uint64_t began_ns);

/* Merges the quality of the next profile, with command COMMAND (or NULL), into INTO. Counts and times add up. Of other
 * values, the worst is kept. */
void merge_quality(struct builder *into, const struct profile_quality *quality, const char *command);

#endif
