/* SPDX-License-Identifier: MIT */
#include "common/model/judge.h"

#include "common/model/proctext.h"

/* Waits come from two clocks of the scheduler, and a switch takes some time. */
enum {
    TOLERANCE_NS = 5000,
    LEAVE_NS = 20000,          /* on any machine, a thread may take this long to leave a CPU that it blocked, */
    LONGEST_LEAVE_NS = 100000, /* and at most this long on a slow one */
    EXCEEDED_IN = 50,
    LEAVE_SHARE = 256,
};

bool judge_on_cpu(uint64_t arrivals, uint64_t leaves)
{
    return arrivals > leaves;
}

/* Returns true if the thread was on the CPU that was blocked. If it was not displaced, or for a shorter time than the
 * CPU was blocked, it was on another one. */
static bool was_held(uint64_t waited_ns, uint64_t held_ns, uint64_t leave_ns, bool certain)
{
    uint64_t most_ns = leave_ns > LEAVE_NS ? leave_ns : LEAVE_NS;
    return waited_ns + TOLERANCE_NS >= held_ns && (certain || waited_ns <= 2 * held_ns + most_ns);
}

void judge_learn(uint64_t *leave_ns, const struct schedstat *before, const struct schedstat *after, uint64_t own_ns)
{
    uint64_t waited_ns = after->waited_ns - before->waited_ns, step_ns = *leave_ns / LEAVE_SHARE + 1;
    if (waited_ns <= own_ns + *leave_ns)
        *leave_ns -= step_ns < *leave_ns ? step_ns : *leave_ns;
    else if (*leave_ns < LONGEST_LEAVE_NS)
        *leave_ns += (EXCEEDED_IN - 1) * step_ns;
}

enum judge_verdict judge_stop(const struct schedstat *before, const struct schedstat *after, enum judge_place place,
                              uint64_t own_ns, uint64_t leave_ns)
{
    bool held = place == JUDGE_HELD || place == JUDGE_TAKEN;
    if (after->arrivals == before->arrivals)
        return place == JUDGE_ELSEWHERE ? JUDGE_GOOD : JUDGE_WAITING; /* the displaced thread has run again since */
    if (after->arrivals != before->arrivals + 1 || place == JUDGE_ELSEWHERE)
        return JUDGE_WAITING;
    if (place == JUDGE_DISPLACED)
        return JUDGE_GOOD; /* however long it waited afterwards, it ran no further */
    uint64_t waited = after->waited_ns - before->waited_ns;
    if (held)
        return was_held(waited, own_ns, leave_ns, place == JUDGE_TAKEN) ? JUDGE_GOOD : JUDGE_WAITING;
    uint64_t apart = waited > own_ns ? waited - own_ns : own_ns - waited;
    return apart <= TOLERANCE_NS ? JUDGE_GOOD : JUDGE_WAITING;
}
