/* SPDX-License-Identifier: MIT
 *
 * Where the time was spent that no sample stands for. Most processes and threads of a build, or of a server with a
 * thread for each request, end before they are sampled, or soon after. But every moment of CPU time is as likely to be
 * sampled as any other, so each sample of a program stands for as much of its time as the others: the time of all its
 * processes together is known exactly, and is spread over its samples. doc/ESTIMATION.md has the estimator, its error
 * and the reasons. */
#ifndef PROFILE_ESTIMATE_H
#define PROFILE_ESTIMATE_H

#include "profile/profile.h"

/* Gives PROFILE's time without samples to the stacks of other samples of the same program. A process gets, in a thread
 * of its own that is marked as estimated, copies of such stacks with a count of 0, whose times are exactly what it had
 * without samples. Of a thread's samples the times may change, but not their sum. So what was measured stays exact for
 * each thread, process and program. Programs without samples stay as they are. Returns 0, or -ENOMEM with PROFILE good
 * for profile_free alone. */
int estimate_apply(struct profile *profile);

#endif
