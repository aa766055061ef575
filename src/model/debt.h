/* SPDX-License-Identifier: MIT
 *
 * Ticks of the emulated calls that the tracer finds late, for example because it had no CPU. A kernel would know where
 * the process was at the tick. The tracer knows only where it was before, and where it is now. It bills each tick to
 * the location that is nearer in the CPU time of the process. The location of a system call does not count: the process
 * has only just reached it. Pure. */
#ifndef MODEL_DEBT_H
#define MODEL_DEBT_H

#include <stdbool.h>
#include <stdint.h>

/* Where a process was seen at a random instant last. */
struct debt_seen {
    bool known;        /* it was, since its present call */
    uint64_t pc;       /* user PC */
    uint64_t clock_ns; /* its CPU clock then */
};

/* So many ticks, in the order of time. */
struct debt_parts {
    uint64_t before; /* are billed to where it was seen last */
    uint64_t late;   /* to no place: that is not known */
    uint64_t here;   /* to where it is */
};

/* The ticks of a process whose CPU clock stands at CLOCK_NS, HZ a second, of which BILLED are no debt any more.
 * ENTERED: it is stopped as it makes a call, and not by chance. */
struct debt_parts debt_share(const struct debt_seen *seen, uint64_t clock_ns, uint64_t billed, unsigned hz,
                             bool entered);

#endif
