/* SPDX-License-Identifier: MIT
 *
 * Several profiles as one. */
#ifndef PROFILE_MERGE_H
#define PROFILE_MERGE_H

#include "profile/builder.h"

/* Adds FROM to INTO. Equal processes, threads and stacks are merged. Parts that no sample of FROM uses are left out;
 * new parts are added in the order in which FROM's samples first use them. Check into->failed afterwards. */
void merge_profile(struct builder *into, const struct profile *from);

/* Returns a new profile: first the processes of BASE (NULL: nothing), then, kept separate, those of PROFILE. Each
 * part occurs once, in the order of first use. NULL if memory runs out. */
struct profile *merge_with_base(const struct profile *base, const struct profile *profile);

/* Makes the times of BUILDER's profile count from its beginning or from that of the next profile, which began at
 * BEGAN_NS of real time (0: unknown), whichever is earlier. Returns by how much to delay the times of the next
 * profile. */
uint64_t merge_align(struct builder *builder, uint64_t began_ns);

/* Adds to INTO's profile how good the next one of them is, that began as COMMAND (or NULL). Counts and times
 * add up; of what does not, the worst is kept. */
void merge_quality(struct builder *into, const struct profile_quality *quality, const char *command);

#endif
