/* SPDX-License-Identifier: MIT
 *
 * Several profiles as one. */
#ifndef PROFILE_MERGE_H
#define PROFILE_MERGE_H

#include "profile/builder.h"

/* Adds all of FROM to INTO: equal processes, threads, stacks come together. Parts that no sample of FROM uses are left
 * out, and what is new comes in the order in which FROM's samples first use it. Look at into->failed afterwards. */
void merge_profile(struct builder *into, const struct profile *from);

/* Returns a new profile of both: first the processes of BASE (NULL: nothing), then those of PROFILE, which are kept
 * apart from them. Each part is there once, in the order of its first use. NULL if memory runs out. */
struct profile *merge_with_base(const struct profile *base, const struct profile *profile);

/* Has the times of BUILDER's profile count from its beginning, or from that of the next one, which began at BEGAN_NS of
 * real time (0: not known), whichever is first. Returns what the times of the latter are to be delayed by. */
uint64_t merge_align(struct builder *builder, uint64_t began_ns);

/* Adds to INTO's profile how good the next one of them is, that began as COMMAND (or NULL). Counts and times
 * add up; of what does not, the worst is kept. */
void merge_quality(struct builder *into, const struct profile_quality *quality, const char *command);

#endif
