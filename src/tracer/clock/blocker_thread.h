/* SPDX-License-Identifier: MIT
 *
 * The thread that takes a CPU for a tick, and blocks it. */
#ifndef CLOCK_BLOCKER_THREAD_H
#define CLOCK_BLOCKER_THREAD_H

#include <stdbool.h>

struct blocker;

/* Starts the thread of BLOCKER, which then follows BLOCKER's shared members. Returns false if it cannot be started. */
bool blocker_start(struct blocker *blocker);

#endif
