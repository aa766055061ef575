/* SPDX-License-Identifier: MIT */
#include "common/model/ride.h"

#include "unit.h"

#include <stdlib.h>

enum { MS = 1000000 };

/* A script of what happens: a digit: the only CPU with tracees; s: several; n: none; t: a tick is served. After each
 * digit or letter except t, the result is a CPU, or '.' if the tracing thread should be elsewhere. */
static const struct {
    const char *events, *results;
} rides[] = {
    {"0", "0"},
    {"n", "."},
    {"s", "."},
    {"0t0t0t0t0", "00000"},
    {"0s", "0."},       /* leaves at once */
    {"0tttts0", "0.0"}, /* a long ride is begun again as soon as it is possible */
    {"0tttt1", "01"},   /* follows the thread */
    {"0tttt1tttt0tttt2", "0102"},
    {"0ttt1", "0."},                  /* too short: the thread did not stay */
    {"0tt1tttttttttttttttt1", "0.1"}, /* after 16 ticks once more */
    {"0tt1ttttttttttttttt1", "0.."},
    {"0tts0tttttttttttttttt0", "0..0"},
    {"0ttn0", "0.."},
};

START_TEST(it_is_where_it_should_be)
{
    struct ride ride = {.waits = true};
    const char *results = rides[_i].results;
    for (const char *event = rides[_i].events; *event; event++) {
        if (*event == 't') {
            ride_tick(&ride);
            continue;
        }
        int cpu = *event >= '0' && *event <= '9' ? *event - '0' : -1;
        int chosen = ride_choose(&ride, cpu);
        ck_assert_int_eq(chosen < 0 ? '.' : '0' + chosen, *results++);
    }
    ck_assert_int_eq(*results, '\0');
}
END_TEST

/* Each stop moves the thread to the other of two idle CPUs. Few ticks may be lost to vain attempts. */
START_TEST(vain_attempts_become_rare)
{
    enum { TICKS = 20000 };
    struct ride ride = {.waits = true};
    int cpu = 0;
    unsigned vain = 0, late = 0;
    for (int i = 0; i < TICKS; i++) {
        if (ride_choose(&ride, cpu) >= 0 && ride.ticks == 1) {
            cpu = 1 - cpu;
            ride_choose(&ride, cpu);
            vain++;
            late += i > TICKS / 2;
        }
        ride_tick(&ride);
    }
    ck_assert_uint_ge(vain, 10);
    ck_assert_uint_le(vain, TICKS / 1000 + 4);
    ck_assert_uint_ge(late, 8); /* but it is tried again and again */
}
END_TEST

/* A long ride shows that the machine has changed: then the next failure is forgiven soon. */
START_TEST(a_long_ride_forgives_failures)
{
    struct ride ride = {.waits = true};
    for (int i = 0; i < 5; i++) {
        while (ride_choose(&ride, 0) < 0)
            ride_tick(&ride);
        ride_tick(&ride);
        ride_choose(&ride, 1);
    }
    unsigned rest = 0, next = 0;
    for (; ride_choose(&ride, 0) < 0; rest++)
        ride_tick(&ride);
    for (int i = 0; i < 4; i++)
        ride_tick(&ride);
    ck_assert_int_eq(ride_choose(&ride, 1), 1);
    ride_tick(&ride);
    for (ride_choose(&ride, 0); ride_choose(&ride, 0) < 0; next++)
        ride_tick(&ride);
    ck_assert_uint_eq(rest, 1024);
    ck_assert_uint_eq(next, 16);
}
END_TEST

START_TEST(only_while_tracees_wait)
{
    struct ride ride = {0};
    uint64_t now_ns = 1000 * UINT64_C(1000000), queued_ns = 0;
    ride_judge(&ride, now_ns, queued_ns);
    ck_assert_int_eq(ride_choose(&ride, 0), -1);
    ride_judge(&ride, now_ns += 100 * MS, queued_ns += 5 * MS); /* other threads take a turn now and then */
    ck_assert_int_eq(ride_choose(&ride, 0), -1);
    ride_judge(&ride, now_ns += 100 * MS, queued_ns += 50 * MS);
    ck_assert_int_eq(ride_choose(&ride, 0), 0);
    ride_judge(&ride, now_ns + 10 * MS, queued_ns); /* too early to judge */
    ck_assert_int_eq(ride_choose(&ride, 0), 0);
    ride_judge(&ride, now_ns + 110 * MS, queued_ns + 5 * MS);
    ck_assert_int_eq(ride_choose(&ride, 0), -1);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("model/ride");
    UNIT_ADD_TABLE(tests, it_is_where_it_should_be, rides);
    tcase_add_test(tests, vain_attempts_become_rare);
    tcase_add_test(tests, a_long_ride_forgives_failures);
    tcase_add_test(tests, only_while_tracees_wait);
    return unit_end();
}
