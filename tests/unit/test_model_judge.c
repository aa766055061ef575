/* SPDX-License-Identifier: MIT */
#include "model/judge.h"

#include "unit.h"

#include <stdint.h>

static const struct {
    uint64_t arrivals, leaves;
    bool on_cpu;
} counts[] = {
    {0, 0, false},
    {1, 0, true},
    {1, 1, false},
    {1000001, 1000000, true},
    {1000000, 1000000, false},
    {UINT64_MAX, UINT64_MAX, false},
    {UINT64_MAX, UINT64_MAX - 1, true},
    {5, 6, false}, /* it left after its arrivals were read */
};

START_TEST(on_cpu_follows_the_table)
{
    ck_assert(judge_on_cpu(counts[_i].arrivals, counts[_i].leaves) == counts[_i].on_cpu);
}
END_TEST

/* A thread that had waited for 1 ms when the tick came and, at the stop, has waited for WAITED more and has
 * arrived on a CPU ARRIVED more times; the tracer ran for OWN. */
static const struct {
    uint64_t arrived, waited;
    enum judge_place place;
    uint64_t own;
    enum judge_verdict verdict;
} stops[] = {
    /* it has not left its CPU since */
    {0, 0, JUDGE_ELSEWHERE, 0, JUDGE_GOOD},
    {0, 0, JUDGE_HERE, 20000, JUDGE_WAITING}, /* so it is on another one than was thought */
    {0, 0, JUDGE_DISPLACED, 20000, JUDGE_WAITING},
    /* it has come to another CPU: it waited for that one */
    {1, 0, JUDGE_ELSEWHERE, 0, JUDGE_WAITING},
    {1, 20000, JUDGE_ELSEWHERE, 20000, JUDGE_WAITING},
    {1, 3000000, JUDGE_ELSEWHERE, 20000, JUDGE_WAITING},
    /* it has come to the tracer's CPU: it was there before if it waited for just as long as the tracer ran */
    {1, 20000, JUDGE_HERE, 20000, JUDGE_GOOD},
    {1, 25000, JUDGE_HERE, 20000, JUDGE_GOOD},
    {1, 15000, JUDGE_HERE, 20000, JUDGE_GOOD},
    {1, 0, JUDGE_HERE, 5000, JUDGE_GOOD},
    {1, 0, JUDGE_HERE, 0, JUDGE_GOOD},
    {1, 25001, JUDGE_HERE, 20000, JUDGE_WAITING},
    {1, 14999, JUDGE_HERE, 20000, JUDGE_WAITING},
    {1, 0, JUDGE_HERE, 20000, JUDGE_WAITING},
    {1, 4000000, JUDGE_HERE, 20000, JUDGE_WAITING},
    {1, 20000, JUDGE_HERE, UINT64_MAX, JUDGE_WAITING},
    /* known to have been displaced: it ran no further, however long it then waited */
    {1, 20000, JUDGE_DISPLACED, 20000, JUDGE_GOOD},
    {1, 90000000, JUDGE_DISPLACED, 20000, JUDGE_GOOD},
    {1, 0, JUDGE_DISPLACED, 20000, JUDGE_GOOD},
    /* a thread of ours held its CPU: it waited for as long, and until that thread had left */
    {1, 20000, JUDGE_HELD, 20000, JUDGE_GOOD},
    {1, 15000, JUDGE_HELD, 20000, JUDGE_GOOD},
    {1, 60000, JUDGE_HELD, 20000, JUDGE_GOOD},
    {1, 60001, JUDGE_HELD, 20000, JUDGE_WAITING}, /* for another thread, too: it had waited before */
    {1, 14999, JUDGE_HELD, 20000, JUDGE_WAITING}, /* it came later, or was somewhere else */
    {0, 0, JUDGE_HELD, 20000, JUDGE_WAITING},     /* it was not displaced: the stop came from another CPU */
    {2, 20000, JUDGE_HELD, 20000, JUDGE_WAITING},
    {1, 90000000, JUDGE_TAKEN, 20000, JUDGE_GOOD},
    {1, 14999, JUDGE_TAKEN, 20000, JUDGE_WAITING},
    {0, 0, JUDGE_TAKEN, 20000, JUDGE_WAITING},
    {2, 20000, JUDGE_TAKEN, 20000, JUDGE_WAITING},
    /* it has run in between */
    {2, 20000, JUDGE_HERE, 20000, JUDGE_WAITING},
    {2, 20000, JUDGE_DISPLACED, 20000, JUDGE_WAITING},
    {2, 20000, JUDGE_ELSEWHERE, 20000, JUDGE_WAITING},
    {1000, 0, JUDGE_DISPLACED, 0, JUDGE_WAITING},
    {UINT64_MAX, 0, JUDGE_DISPLACED, 0, JUDGE_WAITING}, /* fewer: not the thread that it was */
};

START_TEST(stops_follow_the_table)
{
    const struct schedstat before = {.ran_ns = 70000000, .waited_ns = 1000000, .arrivals = 100};
    struct schedstat after = before;
    after.ran_ns += 12345;
    after.waited_ns += stops[_i].waited;
    after.arrivals += stops[_i].arrived;
    ck_assert_int_eq((int)judge_stop(&before, &after, stops[_i].place, stops[_i].own),
                     (int)stops[_i].verdict);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("model/judge");
    UNIT_ADD_TABLE(tests, on_cpu_follows_the_table, counts);
    UNIT_ADD_TABLE(tests, stops_follow_the_table, stops);
    return unit_end();
}
