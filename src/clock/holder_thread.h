/* SPDX-License-Identifier: MIT
 *
 * The thread that takes a CPU for a tick, and blocks it. */
#ifndef CLOCK_HOLDER_THREAD_H
#define CLOCK_HOLDER_THREAD_H

#include "clock/holders.h"

/* Starts the thread of HOLDER, which then follows HOLDER's shared members. Returns false if it cannot be started. */
bool holder_start(struct holder *holder);

#endif
