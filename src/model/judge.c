/* SPDX-License-Identifier: MIT */
#include "model/judge.h"

/* Waits are taken from two clocks of the scheduler, and a switch takes a moment. */
enum { TOLERANCE_NS = 5000 };

bool judge_on_cpu(uint64_t arrivals, uint64_t leaves)
{
    return arrivals > leaves;
}

enum judge_verdict judge_stop(const struct schedstat *before, const struct schedstat *after, enum judge_place place,
                              uint64_t own_ns)
{
    if (after->arrivals == before->arrivals)
        return JUDGE_GOOD;
    if (after->arrivals != before->arrivals + 1 || place == JUDGE_ELSEWHERE)
        return JUDGE_WAITING;
    if (place == JUDGE_DISPLACED)
        return JUDGE_GOOD; /* however long it then had to wait: it ran no further */
    uint64_t waited = after->waited_ns - before->waited_ns;
    uint64_t apart = waited > own_ns ? waited - own_ns : own_ns - waited;
    return apart <= TOLERANCE_NS ? JUDGE_GOOD : JUDGE_WAITING;
}
