/* SPDX-License-Identifier: MIT
 *
 * On which CPU the tracing thread and the tick thread sit: on one without tracees, if there is one. Where they share a
 * CPU with a tracee, the tracing thread's own timer displaces that; on all others a holder's does (clock/holders.h). */
#ifndef CLOCK_PLACEMENT_H
#define CLOCK_PLACEMENT_H

#include "clock/holders.h"
#include "clock/ticker.h"

#include <sched.h>

struct placement {
    cpu_set_t allowed; /* CPUs that this process may use */
    int cpus;          /* their number */
    int own;           /* CPU that the tracing thread is bound to; -1: none */
};

/* Reads what is allowed, and asks for a real-time priority or a short slice for the calling thread and those that it
 * starts. */
void placement_start(struct placement *placement);

/* Moves the calling thread and the tick thread to a CPU without tracees, if they are not on one. */
void placement_follow(struct placement *placement, const struct ticker *ticker, struct holders *holders);

#endif
