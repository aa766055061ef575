/* SPDX-License-Identifier: MIT
 *
 * Was the thread really on a CPU when the tick came? A thread that is only runnable (woken or preempted) shows the
 * PC at which it waits, mostly the exit of a system call. Such PCs are strongly biased and must not be sampled. The
 * kernel's own counts tell the two apart. Pure. */
#ifndef MODEL_JUDGE_H
#define MODEL_JUDGE_H

#include "model/proctext.h"

#include <stdbool.h>
#include <stdint.h>

/* A thread that has arrived on a CPU once more often than it has left one is on it. LEAVES is the sum of its voluntary
 * and involuntary context switches, read before ARRIVALS. */
bool judge_on_cpu(uint64_t arrivals, uint64_t leaves);

enum judge_verdict {
    JUDGE_GOOD,    /* its PC is from the instant of the tick */
    JUDGE_WAITING, /* it was waiting for a CPU: keep the debt, take no PC */
};

/* How the thread stood when the tick came. */
enum judge_place {
    JUDGE_ELSEWHERE, /* on, or waiting for, another CPU than the tracer's */
    JUDGE_HERE,      /* as JUDGE_THERE, for the tracer's own CPU */
    JUDGE_DISPLACED, /* it was on the tracer's CPU until the tracer took that, for certain */
    JUDGE_HELD,      /* on, or waiting for, a CPU that a thread of ours took for the tick, and held */
    JUDGE_TAKEN,     /* it was on such a CPU until that was taken, for certain */
};

/* Judges a stop. BEFORE was read at the tick, AFTER at the stop. OWN_NS is how long the tracer ran on its CPU before it
 * slept to wait for the stop, or how long another CPU was held: a thread that was displaced has waited for exactly that
 * long, or a little longer, as a thread that held a CPU needs a moment to leave it: mostly not more than LEAVE_NS (0:
 * not known). */
enum judge_verdict judge_stop(const struct schedstat *before, const struct schedstat *after, enum judge_place place,
                              uint64_t own_ns, uint64_t leave_ns);

/* Learns from a good stop that certainly displaced the thread: *LEAVE_NS approaches the time that is exceeded once
 * in fifty stops. */
void judge_learn(uint64_t *leave_ns, const struct schedstat *before, const struct schedstat *after, uint64_t own_ns);

#endif
