/* SPDX-License-Identifier: MIT
 *
 * Chooses the CPU of the tracing thread: the one with tracees if one alone has them and this pays (model/ride.h),
 * otherwise one without tracees, if any. If it shares a CPU with a tracee, its own timer displaces the tracee. On all
 * other CPUs a CPU blocker does (clock/blockers.h). */
#ifndef CLOCK_PLACEMENT_H
#define CLOCK_PLACEMENT_H

#include "common/model/ride.h"

#include <sched.h>

struct blockers;

struct placement {
    cpu_set_t allowed; /* CPUs that this process may use */
    int cpus;          /* their number */
    int own;           /* CPU that the tracing thread is bound to; -1: none */
    struct ride ride;
};

/* Reads which CPUs are allowed, and asks for a real-time priority or a short slice for the calling thread and
 * threads that it starts later. */
void placement_start(struct placement *placement);

/* Moves the calling thread to its CPU, unless it is there. */
void placement_follow(struct placement *placement, struct blockers *blockers);

#endif
