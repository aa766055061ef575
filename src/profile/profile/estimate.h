/* SPDX-License-Identifier: MIT
 *
 * Estimates where unsampled time was spent. Many processes are short: in a build, or threads in a server with one for
 * each request. Most end before they are sampled, or soon after. But every moment of CPU time is equally likely to be
 * sampled. So each sample of a program represents as much of its time as the others. The time of all its processes
 * together is known exactly, and is spread over its samples. doc/ESTIMATION.md has the estimator, its error and the
 * reasons. */
#ifndef PROFILE_ESTIMATE_H
#define PROFILE_ESTIMATE_H

struct profile;

/* Distributes PROFILE's time without samples over stacks of other samples of the same program. Each process gets copies
 * of such stacks, with a count of 0, in a thread marked as estimated. Their times add up exactly to its time without
 * samples. The times of a thread's samples may change, but not their sum. So measured times stay exact for each thread,
 * process and program. Programs without samples are unchanged. Returns 0, or -ENOMEM; then only profile_free may be
 * called for PROFILE. */
int estimate_apply(struct profile *profile);

#endif
