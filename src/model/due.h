/* SPDX-License-Identifier: MIT
 *
 * When to look for the next tick of a call. It falls at an instant of the process's own time, and the process's CPU
 * clock says how much of that is left until then; how long that takes, nobody knows, but it was just as fast a moment
 * ago. A look is never so late that a process which is suddenly alone on its CPU is past its tick by more than a
 * twentieth of the period. Pure. */
#ifndef MODEL_DUE_H
#define MODEL_DUE_H

#include <stdint.h>

/* Zero it for a process that has not been looked at. */
struct due {
    uint64_t clock_ns; /* of the process, at the last plan */
    uint64_t time_ns;  /* of the last plan, monotonic; 0: none yet */
    uint64_t billed;   /* ticks, at the last plan */
    unsigned looks;    /* plans in a row that were for the same tick */
    uint64_t look_ns;  /* of the next look, monotonic; 0: to be planned */
};

/* Plans the next look at monotonic time NOW_NS, for a process whose CPU clock is at CLOCK_NS and which has HZ ticks
 * a second, BILLED of them not owed any more (histogram_ticks). If ticks are owed now, no thread could be billed for
 * them, and the next look is soon. */
void due_plan(struct due *due, uint64_t clock_ns, uint64_t billed, unsigned hz, uint64_t now_ns);

#endif
