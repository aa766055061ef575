/* SPDX-License-Identifier: MIT
 *
 * Was the thread really on a CPU at the tick? A thread that is only runnable (woken or preempted) shows the PC at which
 * it waits, mostly the exit of a system call. Such PCs are strongly biased and must not be sampled. The kernel's own
 * counts distinguish the two cases. Pure. */
#ifndef MODEL_JUDGE_H
#define MODEL_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

struct schedstat;

/* Returns true if the thread is on a CPU: it has arrived on one once more often than it has left. LEAVES: the sum of
 * its voluntary and involuntary context switches, read before ARRIVALS. */
bool judge_on_cpu(uint64_t arrivals, uint64_t leaves);

enum judge_verdict {
    JUDGE_GOOD,    /* its PC is the one at the tick */
    JUDGE_WAITING, /* it was waiting for a CPU: keep the debt, do not use the PC */
};

/* Where the thread was at the tick. */
enum judge_place {
    JUDGE_ELSEWHERE, /* on another CPU than the tracer's, or waiting for it */
    JUDGE_HERE,      /* the same for the tracer's own CPU */
    JUDGE_DISPLACED, /* certainly on the tracer's CPU until the tracer took it */
    JUDGE_HELD,      /* on a CPU that a thread of ours took for the tick and blocked, or waiting for it */
    JUDGE_TAKEN,     /* certainly on such a CPU until it was taken */
};

/* Judges a stop. BEFORE was read at the tick, AFTER at the stop. OWN_NS: how long the tracer ran on its CPU before it
 * slept to wait for the stop, or how long another CPU was blocked. A displaced thread has waited for this long, or a
 * little longer, because a blocker needs some time to leave the CPU. LEAVE_NS: that time (mostly not exceeded); 0:
 * unknown. */
enum judge_verdict judge_stop(const struct schedstat *before, const struct schedstat *after, enum judge_place place,
                              uint64_t own_ns, uint64_t leave_ns);

/* Learns from a good stop that certainly displaced the thread: *LEAVE_NS approaches the value that one stop in fifty
 * exceeds. */
void judge_learn(uint64_t *leave_ns, const struct schedstat *before, const struct schedstat *after, uint64_t own_ns);

#endif
