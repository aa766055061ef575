/* SPDX-License-Identifier: MIT
 *
 * Estimates where unsampled time was spent. Most processes and threads of a build, or of a server with a
 * thread for each request, end before they are sampled, or soon after. But every moment of CPU time is as likely to be
 * sampled as any other, so each sample of a program represents as much of its time as the others: the time of all its
 * processes together is known exactly, and is spread over its samples. doc/ESTIMATION.md has the estimator, its error
 * and the reasons. */
#ifndef PROFILE_ESTIMATE_H
#define PROFILE_ESTIMATE_H

#include "profile/profile.h"

/* Distributes PROFILE's time without samples over stacks of other samples of the same program. Each process gets, in
 * a thread marked as estimated, copies of such stacks with a count of 0, whose times add up exactly to its time
 * without samples. The times of a thread's samples may change, but not their sum, so that measured times stay exact
 * for each thread, process and program. Programs without samples are unchanged. Returns 0, or -ENOMEM with PROFILE
 * good for profile_free alone. */
int estimate_apply(struct profile *profile);

#endif
