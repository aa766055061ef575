/* SPDX-License-Identifier: MIT
 *
 * Chooses the CPU of the tracing thread and the tick thread: one without tracees, if any. If they share a CPU with a
 * tracee, the tracing thread's own timer displaces the tracee. On all other CPUs a CPU blocker does
 * (clock/blockers.h). */
#ifndef CLOCK_PLACEMENT_H
#define CLOCK_PLACEMENT_H

#include <sched.h>

struct blockers;
struct ticker;

struct placement {
    cpu_set_t allowed; /* CPUs that this process may use */
    int cpus;          /* their number */
    int own;           /* CPU that the tracing thread is bound to; -1: none */
};

/* Reads which CPUs are allowed, and asks for a real-time priority or a short slice for the calling thread and
 * threads that it starts later. */
void placement_start(struct placement *placement);

/* Moves the calling thread and the tick thread to a CPU without tracees, unless they are on one. */
void placement_follow(struct placement *placement, const struct ticker *ticker, struct blockers *blockers);

#endif
