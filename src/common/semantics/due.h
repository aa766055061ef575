/* SPDX-License-Identifier: MIT
 *
 * Plans when to look for the next tick of an emulated call. A tick falls at a certain CPU time of the process. Its CPU
 * clock shows how much is left until then. How long that takes is estimated from its recent speed. A look is early
 * enough that a process which is suddenly alone on its CPU exceeds its tick by at most a twentieth of the period.
 * Pure. */
#ifndef SEMANTICS_DUE_H
#define SEMANTICS_DUE_H

#include <stdint.h>

/* Zero it for a process that was not looked at. */
struct due {
    uint64_t clock_ns; /* CPU clock of the process at the last plan */
    uint64_t time_ns;  /* monotonic time of the last plan; 0: none yet */
    uint64_t billed;   /* ticks billed at the last plan */
    unsigned looks;    /* plans in a row for the same tick */
    uint64_t look_ns;  /* monotonic time of the next look; 0: not planned */
};

/* Plans the next look. NOW_NS: monotonic time; CLOCK_NS: the process's CPU clock; HZ: its ticks a second, of which
 * BILLED are billed (histogram_ticks). If ticks are owed already, no thread was available to bill them, so the next
 * look is soon. */
void due_plan(struct due *due, uint64_t clock_ns, uint64_t billed, unsigned hz, uint64_t now_ns);

#endif
