/* SPDX-License-Identifier: MIT
 *
 * Scheduling of a thread on which others wait. */
#ifndef BASE_PRIORITY_H
#define BASE_PRIORITY_H

/* Requests a real-time priority for the calling thread: LEVEL above the lowest if allowed, otherwise the lowest. Does
 * not if ptprofil was started with a nice value above 0. If no such priority is allowed, requests a short slice, which
 * kernels before 6.12 ignore. Without this, the fair scheduler delays a thread by tens of milliseconds on a busy
 * machine. Next to threads that wake each other, for example through pipes, it is hundreds. */
void priority_request(int level);

/* Gives thread TID (0: the calling one) a real-time priority above PRIORITY if allowed. Returns its priority afterwards
 * as far as known, or 0 if it has none. */
int priority_above(int tid, int priority);

#endif
