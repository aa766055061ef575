/* SPDX-License-Identifier: MIT */
#include "common/semantics/debt.h"

#include "common/semantics/histogram.h"

/* Typical time that a program takes from its own code into a system call. */
enum { MOMENT_NS = 20000 };

/* Returns the CPU time from which on a tick is nearer to the present location than to the last one. */
static uint64_t turn_ns(const struct debt_seen *seen, uint64_t clock_ns, bool entered)
{
    if (entered)
        return clock_ns > MOMENT_NS ? clock_ns - MOMENT_NS : 0;
    return seen->known && seen->clock_ns < clock_ns ? seen->clock_ns + (clock_ns - seen->clock_ns) / 2 : 0;
}

struct debt_parts debt_share(const struct debt_seen *seen, uint64_t clock_ns, uint64_t billed, unsigned hz,
                             bool entered)
{
    uint64_t all = histogram_ticks(clock_ns, hz), until = histogram_ticks(turn_ns(seen, clock_ns, entered), hz);
    struct debt_parts parts = {0};
    if (all <= billed)
        return parts;
    uint64_t old = until > billed ? until - billed : 0;
    parts.here = all - billed - old;
    *(seen->known ? &parts.before : &parts.late) = old;
    return parts;
}
