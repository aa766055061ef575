/* SPDX-License-Identifier: MIT */
#include "front/outputs/checkpoint.h"

#include "unit.h"

#define MS UINT64_C(1000000)
#define SECOND (1000 * MS)

/* The number of checkpoints until now, the cost of the last one, and the time from its beginning to the next one. */
static const struct {
    unsigned begun;
    uint64_t cpu_ns, wait_ns;
} waits[] = {
    {0, 0, SECOND},
    {1, 5 * MS, 2 * SECOND},
    {2, 0, 4 * SECOND},
    {5, 0, 32 * SECOND},
    {6, 0, 60 * SECOND},
    {UINT32_MAX, 600 * MS, 60 * SECOND},
    {1, 50 * MS, 5 * SECOND}, /* reading names exceeds the allowed share of time */
    {6, 2 * SECOND, 200 * SECOND},
};

START_TEST(waits_double_and_are_long_enough)
{
    ck_assert_uint_eq(checkpoint_wait_ns(waits[_i].begun, waits[_i].cpu_ns), waits[_i].wait_ns);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("outputs/checkpoint");
    UNIT_ADD_TABLE(tests, waits_double_and_are_long_enough, waits);
    return unit_end();
}
