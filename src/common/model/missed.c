/* SPDX-License-Identifier: MIT */
#include "common/model/missed.h"

#include "common/model/quality.h"

#define ONE(name, number, key, text) +1
_Static_assert(0 MISSED_COUNTERS(ONE) == MISSED_FULL, "each reason but the last has a counter, in the same order");
#undef ONE

/* The times are of one sample, and too short to overflow. */
static int64_t time_of(uint64_t ns)
{
    return ns < INT64_MAX / 4 ? (int64_t)ns : INT64_MAX / 4;
}

void missed_bill(struct thread_missed *thread, const struct missed_events *now, uint64_t weight_ns, uint64_t period_ns,
                 uint64_t asked_ns, int64_t ns[MISSED_REASONS])
{
    double all = 0, happened[MISSED_REASONS], beyond_ns = (double)(time_of(weight_ns) - time_of(period_ns));
    ns[MISSED_RATE] += time_of(period_ns) - time_of(asked_ns);
    for (size_t i = 0; i < MISSED_REASONS; i++)
        all += happened[i] = (double)(now->count[i] - thread->seen.count[i]);
    for (size_t i = 0; i < MISSED_REASONS && all > 0; i++)
        ns[i] += (int64_t)(beyond_ns * happened[i] / all);
    thread->seen = *now;
}

int64_t missed_millionths(int64_t ns, uint64_t asked_ns)
{
    return (int64_t)((double)ns / (double)asked_ns * 1e6);
}

void missed_fit(uint64_t due, uint64_t taken, uint64_t *parts, size_t count)
{
    uint64_t missing = due > taken ? due - taken : 0, all = 0, before = 0, given = 0;
    for (size_t i = 0; i < count; i++)
        all += parts[i];
    for (size_t i = 0; i < count && all > missing; i++) {
        before += parts[i];
        uint64_t until = (uint64_t)((double)missing * ((double)before / (double)all) + 0.5);
        parts[i] = until - given;
        given = until;
    }
}
