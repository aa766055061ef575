/* SPDX-License-Identifier: MIT
 *
 * Ticks of the emulated calls that the tracer finds late, for example because it had no CPU. A kernel would know where
 * the process was at the tick. The tracer knows only where it was before, and where it is now. It bills each tick to
 * the location that is nearer in the CPU time of the process. The location of a system call does not count: the process
 * has only just reached it. Pure. */
#ifndef SEMANTICS_DEBT_H
#define SEMANTICS_DEBT_H

#include <stdbool.h>
#include <stdint.h>

/* Where a process was last seen at a random time. */
struct debt_seen {
    bool known;        /* it was seen since its present call */
    uint64_t pc;       /* user PC */
    uint64_t clock_ns; /* its CPU clock at that time */
};

/* Numbers of ticks, in the order of time. */
struct debt_parts {
    uint64_t before; /* billed to where it was last seen */
    uint64_t late;   /* billed nowhere: the location is unknown */
    uint64_t here;   /* billed to where it is now */
};

/* Divides the ticks of a process. CLOCK_NS: its CPU clock; HZ: ticks a second; BILLED: ticks billed already. ENTERED:
 * it is stopped because it makes a call, not at a random time. */
struct debt_parts debt_share(const struct debt_seen *seen, uint64_t clock_ns, uint64_t billed, unsigned hz,
                             bool entered);

#endif
