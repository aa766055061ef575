/* SPDX-License-Identifier: MIT */
#include "common/semantics/due.h"

__extension__ typedef unsigned __int128 wide;

#define NS_PER_SECOND 1000000000u

/* Fractions of a period. */
enum {
    SHORTEST = 24, /* between two looks */
    LATEST = 20,   /* how late a look may be */
    SLACK = 100,   /* how late a look is planned, because a look slightly too early must be repeated */
};

/* A debt is billed at the next good stop, so a look for one is not urgent. After this many looks without success,
 * because the process sleeps or gets no CPU, each further look waits twice as long. */
enum { PATIENT_LOOKS = 4, MOST_DOUBLINGS = 2 };

static uint64_t grown(uint64_t wait_ns, unsigned looks)
{
    unsigned doublings = looks / PATIENT_LOOKS;
    return wait_ns << (doublings < MOST_DOUBLINGS ? doublings : MOST_DOUBLINGS);
}

/* Returns how long LEFT_NS of a process's CPU time will take, if it goes on as RAN_NS did in PASSED_NS. */
static uint64_t wait_for(uint64_t left_ns, uint64_t ran_ns, uint64_t passed_ns, uint64_t longest_ns)
{
    if (!ran_ns)
        return longest_ns;
    wide wait_ns = (wide)left_ns * passed_ns / ran_ns;
    return wait_ns < longest_ns ? (uint64_t)wait_ns : longest_ns;
}

static uint64_t wait_until(const struct due *due, uint64_t next_ns, uint64_t clock_ns, uint64_t period_ns,
                           uint64_t now_ns)
{
    uint64_t left_ns = next_ns - clock_ns, longest_ns = left_ns + period_ns / LATEST;
    uint64_t ran_ns = clock_ns > due->clock_ns ? clock_ns - due->clock_ns : 0;
    left_ns += period_ns / SLACK;
    return due->time_ns ? wait_for(left_ns, ran_ns, now_ns - due->time_ns, longest_ns) : left_ns;
}

void due_plan(struct due *due, uint64_t clock_ns, uint64_t billed, unsigned hz, uint64_t now_ns)
{
    uint64_t period_ns = NS_PER_SECOND / hz, shortest_ns = period_ns / SHORTEST;
    uint64_t next_ns = (uint64_t)(((wide)(billed + 1) * NS_PER_SECOND + hz - 1) / hz);
    due->looks = due->time_ns && due->billed == billed ? due->looks + 1 : 0;
    uint64_t wait_ns =
        clock_ns < next_ns ? wait_until(due, next_ns, clock_ns, period_ns, now_ns) : grown(shortest_ns, due->looks);
    due->billed = billed;
    due->clock_ns = clock_ns;
    due->time_ns = now_ns;
    due->look_ns = now_ns + (wait_ns > shortest_ns ? wait_ns : shortest_ns);
}
