/* SPDX-License-Identifier: MIT
 *
 * When each CPU has its ticks. Most tests use the caller's own CPU, which needs no blocker. Time is fake. */
#include "clock/holders.h"

#include "unit.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#define MS UINT64_C(1000000)

enum { OWN = 3, OTHER = 5, PERIOD_NS = 1000000 };

static uint64_t fake_now;

uint64_t __wrap_time_now_ns(void);
uint64_t __wrap_time_now_ns(void)
{
    return fake_now;
}

/* Threads cannot be started, so a CPU that needs a blocker is unavailable. */
int __wrap_wake_thread(pthread_t *thread, void *(*run)(void *), void *argument, size_t stack_bytes);
int __wrap_wake_thread(pthread_t *thread, void *(*run)(void *), void *argument, size_t stack_bytes)
{
    (void)thread, (void)run, (void)argument, (void)stack_bytes;
    return -EAGAIN;
}

static struct holders *holders_new(void)
{
    static struct ticker ticker;
    struct holders *holders = calloc(1, sizeof *holders);
    fake_now = 5000 * MS;
    holders_start(holders, &ticker, 7);
    holders->real_time = false; /* also if root runs the test */
    return holders;
}

static void holders_free(struct holders *holders)
{
    for (size_t i = 0; i < holders->count; i++)
        free(holders->items[i]);
    free(holders->items);
    free(holders);
}

static struct holder *see(struct holders *holders, int cpu)
{
    holders_see(holders, cpu, OWN, PERIOD_NS, fake_now);
    for (size_t i = 0; i < holders->count; i++)
        if (holders->items[i]->cpu == cpu)
            return holders->items[i];
    return NULL;
}

START_TEST(a_cpu_has_ticks_while_tracees_are_seen_there)
{
    struct holders *holders = holders_new();
    ck_assert_ptr_null(holders_next(holders));
    ck_assert(!holders_want(holders, OWN));
    struct holder *holder = see(holders, OWN);
    ck_assert(holder->own);
    ck_assert(holders_want(holders, OWN));
    ck_assert_ptr_eq(holders_next(holders), holder);
    ck_assert(holder->next_ns > fake_now && holder->next_ns <= fake_now + MS + 1);
    uint64_t first = holder->next_ns;
    ck_assert_ptr_eq(see(holders, OWN), holder); /* a second time: nothing changes */
    ck_assert_uint_eq(holder->next_ns, first);
    fake_now += 199 * MS;
    holders_expire(holders, fake_now);
    ck_assert(holders_want(holders, OWN));
    fake_now += 2 * MS;
    holders_expire(holders, fake_now);
    ck_assert(!holders_want(holders, OWN));
    ck_assert_ptr_null(holders_next(holders));
    see(holders, OWN);
    holders_park(holders);
    ck_assert(!holders_want(holders, OWN));
    see(holders, -1); /* it runs on no CPU */
    ck_assert_uint_eq(holders->count, 1);
    holders_free(holders);
}
END_TEST

/* Tracees run on unknown CPUs. Ticks stay on the CPUs where tracees ran before, unless the time is negligible. */
START_TEST(cpus_keep_their_ticks_while_enough_runs_somewhere)
{
    struct holders *holders = holders_new();
    struct holder *holder = see(holders, OWN);
    fake_now += 150 * MS;
    holders_keep(holders, 20 * MS, 150 * MS, fake_now);
    fake_now += 150 * MS;
    holders_expire(holders, fake_now);
    ck_assert(holder->active);
    holders_keep(holders, 5 * MS, 150 * MS, fake_now); /* negligible time */
    fake_now += 51 * MS;
    holders_expire(holders, fake_now);
    ck_assert(!holder->active);
    holders_keep(holders, 20 * MS, 150 * MS, fake_now);
    ck_assert(!holder->active); /* it has no ticks to keep */
    holders_free(holders);
}
END_TEST

/* Ticks are random, but each period has exactly one. */
START_TEST(each_period_has_one_instant)
{
    enum { TICKS = 2000 };
    struct holders *holders = holders_new();
    struct holder *holder = see(holders, OWN);
    uint64_t began = holder->next_ns, last = 0;
    for (int i = 0; i < TICKS; i++) {
        ck_assert_uint_gt(holder->next_ns, last);
        last = holder->next_ns;
        fake_now = last + 1;
        holder_release(holders, holder, PERIOD_NS, true, false);
        ck_assert_uint_lt(holder->next_ns - last, 2 * PERIOD_NS + 1);
        holder_served(holders, holder, PERIOD_NS, fake_now);
    }
    ck_assert_uint_ge(last - began, (uint64_t)(TICKS - 3) * PERIOD_NS);
    ck_assert_uint_le(last - began, (uint64_t)(TICKS + 1) * PERIOD_NS);
    ck_assert_uint_eq(holder->skipped, 0);
    holders_free(holders);
}
END_TEST

/* The schedule does not include the time of stops. Ticks that become late are counted. */
START_TEST(pauses_move_the_schedule)
{
    enum { TICKS = 1000, LOOK_NS = 20000, STOP_NS = 80000 };
    struct holders *holders = holders_new();
    struct holder *holder = see(holders, OWN);
    uint64_t began = holder->next_ns;
    for (int i = 0; i < TICKS; i++) {
        fake_now = holder->next_ns + LOOK_NS;
        uint64_t released = fake_now;
        holder_release(holders, holder, PERIOD_NS, true, true);
        fake_now += STOP_NS;
        holder_served(holders, holder, PERIOD_NS, released);
    }
    uint64_t each_ns = (fake_now - began - holder->skipped * PERIOD_NS) / TICKS;
    ck_assert_uint_ge(each_ns, PERIOD_NS + LOOK_NS + STOP_NS / 2);
    ck_assert_uint_le(each_ns, PERIOD_NS + LOOK_NS + STOP_NS + STOP_NS / 4);
    holders_free(holders);
}
END_TEST

START_TEST(ticks_that_are_over_are_skipped_and_counted)
{
    struct holders *holders = holders_new();
    struct holder *holder = see(holders, OWN);
    fake_now = holder->next_ns + 100 * MS;
    holder_release(holders, holder, PERIOD_NS, false, false);
    ck_assert_uint_ge(holder->next_ns, fake_now);
    ck_assert_uint_ge(holder->skipped, 98);
    ck_assert_uint_le(holder->skipped, 101);
    holders_free(holders);
}
END_TEST

/* A requested tick comes at its time and does not move scheduled ones. */
START_TEST(a_tick_is_wanted_besides)
{
    struct holders *holders = holders_new();
    ck_assert(!holders_request(holders, OWN, fake_now + 10));
    struct holder *holder = see(holders, OWN);
    uint64_t scheduled = holder->scheduled_ns;
    ck_assert(holders_request(holders, OWN, scheduled - 1));
    ck_assert_uint_eq(holder->next_ns, scheduled - 1);
    ck_assert_uint_eq(holder->scheduled_ns, scheduled);
    ck_assert(holders_request(holders, OWN, scheduled + 5));
    ck_assert_uint_eq(holder->next_ns, scheduled);
    holders_request(holders, OWN, scheduled - 1);
    fake_now = scheduled - 1; /* the time of the request */
    holder_release(holders, holder, PERIOD_NS, false, false);
    ck_assert_uint_eq(holder->scheduled_ns, scheduled);
    ck_assert(!holders_request(holders, OTHER, scheduled)); /* the request moves to another CPU */
    ck_assert_uint_eq(holder->extra_ns, 0);
    holders_free(holders);
}
END_TEST

START_TEST(a_missed_thread_has_an_early_tick)
{
    enum { LONG_PERIOD_NS = 50000000 };
    struct holders *holders = holders_new();
    holders_see(holders, OWN, OWN, LONG_PERIOD_NS, fake_now);
    struct holder *holder = holders_next(holders);
    fake_now = holder->next_ns + 1;
    holder_release(holders, holder, LONG_PERIOD_NS, true, false);
    for (int i = 0; i < 100 && holder->scheduled_ns <= fake_now + MS; i++) {
        fake_now = holder->next_ns + 1;
        holder_release(holders, holder, LONG_PERIOD_NS, true, false);
    }
    ck_assert_uint_gt(holder->scheduled_ns, fake_now + MS);
    holders_hurry(holders, OWN, fake_now);
    ck_assert_uint_le(holder->scheduled_ns, fake_now + MS + 1);
    holders_free(holders);
}
END_TEST

/* If a CPU is unavailable, another one takes its ticks. It is tried again after a second. */
START_TEST(a_cpu_that_cannot_be_had_is_shut_for_a_while)
{
    struct holders *holders = holders_new();
    struct holder *holder = see(holders, OTHER);
    ck_assert(!holder->own);
    ck_assert(holder->unavailable);
    ck_assert_uint_eq(holders_wake_ns(holders, holder), holder->next_ns);
    fake_now += 999 * MS;
    holder_release(holders, holder, PERIOD_NS, true, false);
    ck_assert(holder->unavailable);
    fake_now += 2 * MS;
    uint64_t until = holder->shut_until_ns;
    holder_release(holders, holder, PERIOD_NS, true, false);
    ck_assert_uint_gt(holder->shut_until_ns, until); /* the attempt failed */
    holders_avoid(holders, OTHER);
    ck_assert(holder->own);
    holders_free(holders);
}
END_TEST

static const struct {
    unsigned weight; /* of each sample, in thousandths of a period */
    unsigned samples;
    int64_t from, least, most; /* ns */
} lessons[] = {
    {1000, 10000, 0, 0, 0},            /* all time is covered */
    {990, 1000, 0, 9000, 10000},       /* a hundredth of each period is unseen */
    {990, 100000, 0, 40000, 40000},    /* the correction is limited */
    {1010, 1000, 20000, 10000, 11000}, /* ticks are too rare */
    {1010, 100000, 20000, 0, 0},
    {0, 1, 0, 976, 977},
    {2000, 1, 5000, 4023, 4024},
    {400000, 1, 5000, 4023, 4024}, /* a long gap counts like one of two periods */
};

START_TEST(unseen_time_is_learnt_from_weights)
{
    struct holders *holders = holders_new();
    holders->unseen_ns = lessons[_i].from;
    for (unsigned i = 0; i < lessons[_i].samples; i++)
        holders_learn(holders, (uint64_t)lessons[_i].weight * (PERIOD_NS / 1000), PERIOD_NS);
    ck_assert_int_ge(holders->unseen_ns, lessons[_i].least);
    ck_assert_int_le(holders->unseen_ns, lessons[_i].most);
    holders_free(holders);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("clock/holders");
    tcase_add_test(tests, a_cpu_has_ticks_while_tracees_are_seen_there);
    tcase_add_test(tests, cpus_keep_their_ticks_while_enough_runs_somewhere);
    tcase_add_test(tests, each_period_has_one_instant);
    tcase_add_test(tests, pauses_move_the_schedule);
    tcase_add_test(tests, ticks_that_are_over_are_skipped_and_counted);
    tcase_add_test(tests, a_tick_is_wanted_besides);
    tcase_add_test(tests, a_missed_thread_has_an_early_tick);
    tcase_add_test(tests, a_cpu_that_cannot_be_had_is_shut_for_a_while);
    UNIT_ADD_TABLE(tests, unseen_time_is_learnt_from_weights, lessons);
    return unit_end();
}
