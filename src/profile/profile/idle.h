/* SPDX-License-Identifier: MIT
 *
 * Idle threads of pools: several threads of a process that waited at one place nearly all of their time, and half of
 * the recording or more. In a table of waits they would hide what other threads wait for. */
#ifndef PROFILE_IDLE_H
#define PROFILE_IDLE_H

struct profile;

/* Replaces the stacks of idle threads by [idle threads], below their outermost function. Threads in a known
 * function for locks do not count as idle, as they may be stuck, nor do the threads of a process without other threads.
 * Sets profile->idle_threads to the number of these threads. Returns 0 or -ENOMEM. */
int idle_fold(struct profile *profile);

#endif
