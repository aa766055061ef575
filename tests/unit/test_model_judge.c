/* SPDX-License-Identifier: MIT */
#include "common/model/judge.h"

#include "common/model/proctext.h"
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

/* A thread had waited for 1 ms at the tick. At the stop it has waited for WAITED more and arrived on a CPU ARRIVED
 * more times. The tracer ran for OWN. */
static const struct {
    uint64_t arrived, waited;
    enum judge_place place;
    uint64_t own;
    enum judge_verdict verdict;
    uint64_t leave;
} stops[] = {
    /* it did not leave its CPU */
    {0, 0, JUDGE_ELSEWHERE, 0, JUDGE_GOOD, 0},
    {0, 0, JUDGE_HERE, 20000, JUDGE_WAITING, 0}, /* so it is on another CPU than expected */
    {0, 0, JUDGE_DISPLACED, 20000, JUDGE_WAITING, 0},
    /* it came to another CPU: it had waited for that one */
    {1, 0, JUDGE_ELSEWHERE, 0, JUDGE_WAITING, 0},
    {1, 20000, JUDGE_ELSEWHERE, 20000, JUDGE_WAITING, 0},
    {1, 3000000, JUDGE_ELSEWHERE, 20000, JUDGE_WAITING, 0},
    /* it came to the tracer's CPU: it was displaced there if it waited exactly while the tracer ran */
    {1, 20000, JUDGE_HERE, 20000, JUDGE_GOOD, 0},
    {1, 25000, JUDGE_HERE, 20000, JUDGE_GOOD, 0},
    {1, 15000, JUDGE_HERE, 20000, JUDGE_GOOD, 0},
    {1, 0, JUDGE_HERE, 5000, JUDGE_GOOD, 0},
    {1, 0, JUDGE_HERE, 0, JUDGE_GOOD, 0},
    {1, 25001, JUDGE_HERE, 20000, JUDGE_WAITING, 0},
    {1, 14999, JUDGE_HERE, 20000, JUDGE_WAITING, 0},
    {1, 0, JUDGE_HERE, 20000, JUDGE_WAITING, 0},
    {1, 4000000, JUDGE_HERE, 20000, JUDGE_WAITING, 0},
    {1, 20000, JUDGE_HERE, UINT64_MAX, JUDGE_WAITING, 0},
    /* certainly displaced: it ran no further, however long it waited */
    {1, 20000, JUDGE_DISPLACED, 20000, JUDGE_GOOD, 0},
    {1, 90000000, JUDGE_DISPLACED, 20000, JUDGE_GOOD, 0},
    {1, 0, JUDGE_DISPLACED, 20000, JUDGE_GOOD, 0},
    /* a CPU blocker displaced it: it waited from then until the blocker left */
    {1, 20000, JUDGE_HELD, 20000, JUDGE_GOOD, 0},
    {1, 15000, JUDGE_HELD, 20000, JUDGE_GOOD, 0},
    {1, 60000, JUDGE_HELD, 20000, JUDGE_GOOD, 0},
    {1, 60001, JUDGE_HELD, 20000, JUDGE_WAITING, 0},  /* too long: it also waited for another thread */
    {1, 70000, JUDGE_HELD, 20000, JUDGE_GOOD, 30000}, /* leaving takes long on this machine */
    {1, 70001, JUDGE_HELD, 20000, JUDGE_WAITING, 30000},
    {1, 60000, JUDGE_HELD, 20000, JUDGE_GOOD, 10000},
    {1, 14999, JUDGE_HELD, 20000, JUDGE_WAITING, 0}, /* too short: it came later, or was on another CPU */
    {0, 0, JUDGE_HELD, 20000, JUDGE_WAITING, 0},     /* not displaced: the stop came from another CPU */
    {2, 20000, JUDGE_HELD, 20000, JUDGE_WAITING, 0},
    {1, 90000000, JUDGE_TAKEN, 20000, JUDGE_GOOD, 0},
    {1, 14999, JUDGE_TAKEN, 20000, JUDGE_WAITING, 0},
    {0, 0, JUDGE_TAKEN, 20000, JUDGE_WAITING, 0},
    {2, 20000, JUDGE_TAKEN, 20000, JUDGE_WAITING, 0},
    /* it ran in between */
    {2, 20000, JUDGE_HERE, 20000, JUDGE_WAITING, 0},
    {2, 20000, JUDGE_DISPLACED, 20000, JUDGE_WAITING, 0},
    {2, 20000, JUDGE_ELSEWHERE, 20000, JUDGE_WAITING, 0},
    {1000, 0, JUDGE_DISPLACED, 0, JUDGE_WAITING, 0},
    {UINT64_MAX, 0, JUDGE_DISPLACED, 0, JUDGE_WAITING, 0}, /* fewer arrivals: another thread has its number */
};

START_TEST(stops_follow_the_table)
{
    const struct schedstat before = {.ran_ns = 70000000, .waited_ns = 1000000, .arrivals = 100};
    struct schedstat after = before;
    after.ran_ns += 12345;
    after.waited_ns += stops[_i].waited;
    after.arrivals += stops[_i].arrived;
    ck_assert_int_eq((int)judge_stop(&before, &after, stops[_i].place, stops[_i].own, stops[_i].leave),
                     (int)stops[_i].verdict);
}
END_TEST

/* A hundred blockers: LATE of them take 70 us to leave, the others 5 us. */
static const struct {
    int late;
    uint64_t least, most; /* the learnt time */
} leaves[] = {
    {0, 4000, 6000},
    {1, 4000, 25000},
    {10, 50000, 80000},
    {100, 60000, 80000},
};

START_TEST(leaves_are_learnt)
{
    uint64_t leave_ns = 0;
    for (int i = 0; i < 200000; i++) {
        const struct schedstat before = {.waited_ns = 1000};
        const struct schedstat after = {.waited_ns = 1000 + 8000 + (i * 37 % 100 < leaves[_i].late ? 70000u : 5000u)};
        judge_learn(&leave_ns, &before, &after, 8000);
    }
    ck_assert_uint_ge(leave_ns, leaves[_i].least);
    ck_assert_uint_le(leave_ns, leaves[_i].most);
}
END_TEST

START_TEST(the_learnt_time_has_a_limit)
{
    uint64_t leave_ns = 0;
    for (int i = 0; i < 200000; i++)
        judge_learn(&leave_ns, &(struct schedstat){0}, &(struct schedstat){.waited_ns = 90000000}, 8000);
    ck_assert_uint_le(leave_ns, 200000);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("model/judge");
    UNIT_ADD_TABLE(tests, on_cpu_follows_the_table, counts);
    UNIT_ADD_TABLE(tests, stops_follow_the_table, stops);
    UNIT_ADD_TABLE(tests, leaves_are_learnt, leaves);
    tcase_add_test(tests, the_learnt_time_has_a_limit);
    return unit_end();
}
