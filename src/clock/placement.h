/* SPDX-License-Identifier: MIT
 *
 * On which CPUs the tracing thread and the tick thread sit; bench/placement measures it.
 *
 * While one thread runs, tracer and tracee share a CPU, given that the scheduler lets the tracer on it at once: a stop
 * then costs least, and the tick's interrupt finds the tracee where a random instant finds it. When tracees are running on
 * all CPUs, the tracer moves from CPU to CPU and samples the one that it is on. With more than two CPUs a tracee could not
 * be kept in place by that, and the tracer sits apart and stops tracees from there. */
#ifndef CLOCK_PLACEMENT_H
#define CLOCK_PLACEMENT_H

#include "clock/ticker.h"

#include <sched.h>
#include <stdbool.h>

enum placement_mode { PLACEMENT_FREE, PLACEMENT_SHARED, PLACEMENT_APART };

struct placement {
    enum placement_mode mode;
    cpu_set_t allowed; /* CPUs that this process may use */
    int cpus;          /* their number */
    int own;           /* CPU that the tracing thread is bound to; -1: none */
    int home;          /* the same for the ticks of the schedule */
    uint64_t crowded_until_ns; /* all CPUs are taken to be busy with tracees */
    int stay_ticks;    /* ticks until the next move in a crowd */
};

/* Reads what is allowed, and asks for a real-time priority or a short slice for the calling thread and those that it
 * starts. */
void placement_start(struct placement *placement);

/* A tick at NOW_NS, SCHEDULED or not, has been served that found tracees running on CPUS different CPUs; CPU is one of these.
 * Chooses the CPU that the next tick of the schedule wants. */
void placement_follow(struct placement *placement, struct ticker *ticker, int cpus, int cpu, bool scheduled,
                      uint64_t now_ns);

/* Moves the calling thread and the tick thread where the next tick wants them: the thread that it is for is expected on CPU,
 * or, if that is -1, the tick is one of the schedule. */
void placement_sit_down(struct placement *placement, const struct ticker *ticker, int cpu);

/* The period of ticks that brings one sample each PERIOD_NS of CPU time: in a crowd a tick samples one CPU of all. */
uint64_t placement_period(const struct placement *placement, uint64_t period_ns, uint64_t now_ns);

#endif
