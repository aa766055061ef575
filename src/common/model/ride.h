/* SPDX-License-Identifier: MIT
 *
 * Decides whether the tracing thread goes to the CPU of the tracees, while one CPU alone has them. Its own timer then
 * displaces the running thread, and one thread of ours wakes up for a tick instead of two, which wait for each other.
 *
 * Where another CPU is idle, the scheduler usually lets a stopped thread continue there, because the tracing thread
 * still has its CPU. Then each stop moves the thread, and the next tick does not find it. This depends on the load and
 * on the caches that CPUs share, so it is tried: if the thread does not stay, the next attempt comes later.
 *
 * After a stop, the tracing thread still has work, and on the CPU of the tracees that takes their time. So a ride pays
 * only while they wait for the CPU: then anybody's work takes their time, and less work is better. Pure. */
#ifndef MODEL_RIDE_H
#define MODEL_RIDE_H

#include <stdbool.h>
#include <stdint.h>

/* Zero it. */
struct ride {
    int cpu;            /* of the present ride; valid while RIDES */
    bool rides;         /* the tracing thread is there */
    uint32_t ticks;     /* of the present ride */
    uint32_t rest;      /* ticks until the next attempt */
    uint32_t next_rest; /* the rest after the next failure; 0: the shortest one */
    bool waits; /* tracees waited for a CPU lately; judged at JUDGED_NS, when they had waited QUEUED_NS in all */
    uint64_t judged_ns, queued_ns;
};

/* CPU is the only one with tracees; -1: there are none or several. Returns the CPU on which the tracing thread should
 * be: CPU, or -1 if it should be elsewhere. */
int ride_choose(struct ride *ride, int cpu);

/* At monotonic time NOW_NS, tracees have waited for a CPU for QUEUED_NS, in all. */
void ride_judge(struct ride *ride, uint64_t now_ns, uint64_t queued_ns);

/* A tick has been served. */
void ride_tick(struct ride *ride);

#endif
