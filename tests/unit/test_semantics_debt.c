/* SPDX-License-Identifier: MIT */
#include "common/semantics/debt.h"

#include "unit.h"

#define MS UINT64_C(1000000)

enum { HZ = 100 };

/* The time at which the process was seen last, if known; its clock, in milliseconds; ticks that were billed; the
 * kind of stop; and where the other ticks are billed. */
static const struct {
    bool known;
    uint64_t seen_ms, clock_ms, billed;
    bool entered;
    uint64_t before, late, here;
} debts[] = {
    {true, 10, 15, 1, false, 0, 0, 0}, {true, 10, 20, 1, false, 0, 0, 1},
    {true, 19, 29, 1, false, 1, 0, 0}, {true, 19, 22, 1, false, 1, 0, 0}, /* nearer to the previous place */
    {true, 11, 21, 1, false, 0, 0, 1},                                    /* nearer to this place */
    {true, 10, 70, 1, false, 3, 0, 3},                                    /* the tracer had no CPU for six ticks */
    {false, 0, 70, 1, false, 0, 0, 6},                                    /* this is the first known place */
    {true, 10, 75, 1, true, 6, 0, 0},                                     /* all ticks were before the call */
    {true, 10, 70, 1, true, 5, 0, 1},                                     /* except the one in the call */
    {false, 0, 75, 1, true, 0, 6, 0},                                     /* the place is unknown */
    {false, 0, 70, 1, true, 0, 5, 1},  {true, 80, 70, 1, false, 0, 0, 6}, /* clocks can lag */
    {true, 10, 70, 9, false, 0, 0, 0}, {true, 10, 0, 0, true, 0, 0, 0},
};

START_TEST(ticks_go_where_they_fell)
{
    const struct debt_seen seen = {debts[_i].known, 0x1000, debts[_i].seen_ms * MS};
    struct debt_parts parts = debt_share(&seen, debts[_i].clock_ms * MS, debts[_i].billed, HZ, debts[_i].entered);
    ck_assert_uint_eq(parts.before, debts[_i].before);
    ck_assert_uint_eq(parts.late, debts[_i].late);
    ck_assert_uint_eq(parts.here, debts[_i].here);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("model/debt");
    UNIT_ADD_TABLE(tests, ticks_go_where_they_fell, debts);
    return unit_end();
}
