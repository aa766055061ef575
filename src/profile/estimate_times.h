/* SPDX-License-Identifier: MIT
 *
 * When what a sample stands for was spent, once its time is another than what it was billed, and copies of it stand for
 * more. Both are spread over the moments at which it was taken. */
#ifndef PROFILE_ESTIMATE_TIMES_H
#define PROFILE_ESTIMATE_TIMES_H

#include "profile/profile.h"

/* The first SAMPLE_COUNT samples of PROFILE had BILLED_NS, running or WAITING; those behind them are copies, each of
 * the sample that COPY_OF, beginning with the first copy, tells. Returns false when there is no memory; PROFILE's
 * instants stay then. */
bool estimate_times(struct profile *profile, size_t sample_count, const uint64_t *const billed_ns[2],
                    const uint32_t *copy_of);

#endif
