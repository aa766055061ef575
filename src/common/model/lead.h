/* SPDX-License-Identifier: MIT
 *
 * Decides how long before a deadline a thread wakes up a first time. A CPU that was idle for long comes late: a deep
 * idle state, or the host of a virtual machine, takes 50 to 300 us to return. A CPU that has just been awake is on
 * time. So where the first wake-up is often late, it is planned earlier, and a short sleep follows until the deadline.
 * Pure. */
#ifndef MODEL_LEAD_H
#define MODEL_LEAD_H

#include <stdint.h>

/* Zero it. */
struct lead {
    uint64_t late_ns; /* most first wake-ups come no later than this */
};

/* Returns the time between the first wake-up and the deadline; 0: one wake-up is enough. */
uint64_t lead_ns(const struct lead *lead);

/* A first wake-up came LATE_NS after its planned time. */
void lead_learn(struct lead *lead, uint64_t late_ns);

/* A second wake-up came LATE_NS after the deadline: if that is late, too, other threads had the CPU. */
void lead_judge(struct lead *lead, uint64_t late_ns);

#endif
