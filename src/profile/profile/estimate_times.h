/* SPDX-License-Identifier: MIT
 *
 * Timestamps of samples whose time the estimate has changed, and of their copies. Spreads both over the times at which
 * the sample was taken. */
#ifndef PROFILE_ESTIMATE_TIMES_H
#define PROFILE_ESTIMATE_TIMES_H

#include "profile/profile/profile.h"

/* Updates PROFILE's instants. Its first SAMPLE_COUNT samples had BILLED_NS, running or WAITING. Later samples are
 * copies; COPY_OF has the original of each. Returns false, with the instants unchanged, if memory runs out. */
bool estimate_times(struct profile *profile, size_t sample_count, const uint64_t *const billed_ns[2],
                    const uint32_t *copy_of);

#endif
