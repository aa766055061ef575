/* SPDX-License-Identifier: MIT
 *
 * When each CPU has its ticks. Most tests use the caller's own CPU, which needs no blocker. Time is fake. */
#include "tracer/clock/blockers.h"

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

static struct blockers *blockers_new(void)
{
    static struct ticker ticker;
    struct blockers *blockers = calloc(1, sizeof *blockers);
    fake_now = 5000 * MS;
    blockers_start(blockers, &ticker, 7);
    blockers->real_time = false; /* also if root runs the test */
    return blockers;
}

static void blockers_free(struct blockers *blockers)
{
    for (size_t i = 0; i < blockers->count; i++)
        free(blockers->items[i]);
    free(blockers->items);
    free(blockers);
}

static struct blocker *see(struct blockers *blockers, int cpu)
{
    blockers_see(blockers, cpu, OWN, PERIOD_NS, fake_now);
    for (size_t i = 0; i < blockers->count; i++)
        if (blockers->items[i]->cpu == cpu)
            return blockers->items[i];
    return NULL;
}

START_TEST(a_cpu_has_ticks_while_tracees_are_seen_there)
{
    struct blockers *blockers = blockers_new();
    ck_assert_ptr_null(blockers_next(blockers));
    ck_assert(!blockers_want(blockers, OWN));
    struct blocker *blocker = see(blockers, OWN);
    ck_assert(blocker->own);
    ck_assert(blockers_want(blockers, OWN));
    ck_assert_ptr_eq(blockers_next(blockers), blocker);
    ck_assert(blocker->next_ns > fake_now && blocker->next_ns <= fake_now + MS + 1);
    uint64_t first = blocker->next_ns;
    ck_assert_ptr_eq(see(blockers, OWN), blocker); /* a second time: nothing changes */
    ck_assert_uint_eq(blocker->next_ns, first);
    fake_now += 199 * MS;
    blockers_expire(blockers, fake_now);
    ck_assert(blockers_want(blockers, OWN));
    fake_now += 2 * MS;
    blockers_expire(blockers, fake_now);
    ck_assert(!blockers_want(blockers, OWN));
    ck_assert_ptr_null(blockers_next(blockers));
    see(blockers, OWN);
    blockers_park(blockers);
    ck_assert(!blockers_want(blockers, OWN));
    see(blockers, -1); /* it runs on no CPU */
    ck_assert_uint_eq(blockers->count, 1);
    blockers_free(blockers);
}
END_TEST

/* Tracees run on unknown CPUs. Ticks stay on the CPUs where tracees ran before, unless the time is negligible. */
START_TEST(cpus_keep_their_ticks_while_enough_runs_somewhere)
{
    struct blockers *blockers = blockers_new();
    struct blocker *blocker = see(blockers, OWN);
    fake_now += 150 * MS;
    blockers_keep(blockers, 20 * MS, 150 * MS, fake_now);
    fake_now += 150 * MS;
    blockers_expire(blockers, fake_now);
    ck_assert(blocker->active);
    blockers_keep(blockers, 5 * MS, 150 * MS, fake_now); /* negligible time */
    fake_now += 51 * MS;
    blockers_expire(blockers, fake_now);
    ck_assert(!blocker->active);
    blockers_keep(blockers, 20 * MS, 150 * MS, fake_now);
    ck_assert(!blocker->active); /* it has no ticks to keep */
    blockers_free(blockers);
}
END_TEST

/* Ticks are random, but each period has exactly one. */
START_TEST(each_period_has_one_instant)
{
    enum { TICKS = 2000 };
    struct blockers *blockers = blockers_new();
    struct blocker *blocker = see(blockers, OWN);
    uint64_t began = blocker->next_ns, last = 0;
    for (int i = 0; i < TICKS; i++) {
        ck_assert_uint_gt(blocker->next_ns, last);
        last = blocker->next_ns;
        fake_now = last + 1;
        blocker_release(blockers, blocker, PERIOD_NS, true, false);
        ck_assert_uint_lt(blocker->next_ns - last, 2 * PERIOD_NS + 1);
        blocker_served(blockers, blocker, PERIOD_NS, fake_now);
    }
    ck_assert_uint_ge(last - began, (uint64_t)(TICKS - 3) * PERIOD_NS);
    ck_assert_uint_le(last - began, (uint64_t)(TICKS + 1) * PERIOD_NS);
    ck_assert_uint_eq(blocker->skipped, 0);
    blockers_free(blockers);
}
END_TEST

/* The schedule does not include the time of stops. Ticks that become late are counted. */
START_TEST(pauses_move_the_schedule)
{
    enum { TICKS = 1000, LOOK_NS = 20000, STOP_NS = 80000 };
    struct blockers *blockers = blockers_new();
    struct blocker *blocker = see(blockers, OWN);
    uint64_t began = blocker->next_ns;
    for (int i = 0; i < TICKS; i++) {
        fake_now = blocker->next_ns + LOOK_NS;
        uint64_t released = fake_now;
        blocker_release(blockers, blocker, PERIOD_NS, true, true);
        fake_now += STOP_NS;
        blocker_served(blockers, blocker, PERIOD_NS, released);
    }
    uint64_t each_ns = (fake_now - began - blocker->skipped * PERIOD_NS) / TICKS;
    ck_assert_uint_ge(each_ns, PERIOD_NS + LOOK_NS + STOP_NS / 2);
    ck_assert_uint_le(each_ns, PERIOD_NS + LOOK_NS + STOP_NS + STOP_NS / 4);
    blockers_free(blockers);
}
END_TEST

START_TEST(ticks_that_are_over_are_skipped_and_counted)
{
    struct blockers *blockers = blockers_new();
    struct blocker *blocker = see(blockers, OWN);
    fake_now = blocker->next_ns + 100 * MS;
    blocker_release(blockers, blocker, PERIOD_NS, false, false);
    ck_assert_uint_ge(blocker->next_ns, fake_now);
    ck_assert_uint_ge(blocker->skipped, 98);
    ck_assert_uint_le(blocker->skipped, 101);
    blockers_free(blockers);
}
END_TEST

static const struct {
    uint64_t took_ns;
    bool real_time, rests;
} works[] = {{2 * MS, true, true}, {MS / 2, true, true}, {MS / 2 - 1, true, false}, {2 * MS, false, false}};

START_TEST(long_work_leaves_the_cpu_to_the_tracees)
{
    struct blockers *blockers = blockers_new();
    struct blocker *blocker = see(blockers, OWN);
    blockers->real_time = works[_i].real_time;
    for (int ticks = 0; ticks < 100; ticks++) {
        uint64_t began = fake_now = blocker->next_ns;
        blocker_release(blockers, blocker, PERIOD_NS, true, false);
        fake_now += works[_i].took_ns;
        blocker_served(blockers, blocker, PERIOD_NS, began);
        uint64_t until = fake_now + works[_i].took_ns, planned = blocker->next_ns, skipped = blocker->skipped;
        bool rests = works[_i].rests && planned < until;
        blocker_rest(blockers, blocker, began);
        ck_assert_uint_ge(blocker->next_ns, rests ? until : planned);
        ck_assert(rests == (blocker->skipped > skipped) && rests == (blocker->next_ns > planned));
    }
    blockers_free(blockers);
}
END_TEST

START_TEST(long_work_leaves_a_tick_that_is_wanted_besides)
{
    struct blockers *blockers = blockers_new();
    struct blocker *blocker = see(blockers, OWN);
    uint64_t began = fake_now, extra = fake_now + 3 * MS;
    blockers->real_time = true;
    blockers_request(blockers, OWN, extra);
    fake_now += 4 * MS;
    blocker_rest(blockers, blocker, began);
    ck_assert_uint_eq(blocker->next_ns, extra);
    ck_assert_uint_ge(blocker->scheduled_ns, fake_now + 4 * MS);
    blockers_free(blockers);
}
END_TEST

/* A requested tick comes at its time and does not move scheduled ones. */
START_TEST(a_tick_is_wanted_besides)
{
    struct blockers *blockers = blockers_new();
    ck_assert(!blockers_request(blockers, OWN, fake_now + 10));
    struct blocker *blocker = see(blockers, OWN);
    uint64_t scheduled = blocker->scheduled_ns;
    ck_assert(blockers_request(blockers, OWN, scheduled - 1));
    ck_assert_uint_eq(blocker->next_ns, scheduled - 1);
    ck_assert_uint_eq(blocker->scheduled_ns, scheduled);
    ck_assert(blockers_request(blockers, OWN, scheduled + 5));
    ck_assert_uint_eq(blocker->next_ns, scheduled);
    blockers_request(blockers, OWN, scheduled - 1);
    fake_now = scheduled - 1; /* the time of the request */
    blocker_release(blockers, blocker, PERIOD_NS, false, false);
    ck_assert_uint_eq(blocker->scheduled_ns, scheduled);
    ck_assert(!blockers_request(blockers, OTHER, scheduled)); /* the request moves to another CPU */
    ck_assert_uint_eq(blocker->extra_ns, 0);
    blockers_free(blockers);
}
END_TEST

START_TEST(a_missed_thread_has_an_early_tick)
{
    enum { LONG_PERIOD_NS = 50000000 };
    struct blockers *blockers = blockers_new();
    blockers_see(blockers, OWN, OWN, LONG_PERIOD_NS, fake_now);
    struct blocker *blocker = blockers_next(blockers);
    fake_now = blocker->next_ns + 1;
    blocker_release(blockers, blocker, LONG_PERIOD_NS, true, false);
    for (int i = 0; i < 100 && blocker->scheduled_ns <= fake_now + MS; i++) {
        fake_now = blocker->next_ns + 1;
        blocker_release(blockers, blocker, LONG_PERIOD_NS, true, false);
    }
    ck_assert_uint_gt(blocker->scheduled_ns, fake_now + MS);
    blockers_hurry(blockers, OWN, fake_now);
    ck_assert_uint_le(blocker->scheduled_ns, fake_now + MS + 1);
    blockers_free(blockers);
}
END_TEST

/* If a CPU is unavailable, another one takes its ticks. It is tried again after a second. */
START_TEST(a_cpu_that_cannot_be_had_is_shut_for_a_while)
{
    struct blockers *blockers = blockers_new();
    struct blocker *blocker = see(blockers, OTHER);
    ck_assert(!blocker->own);
    ck_assert(blocker->unavailable);
    ck_assert_uint_eq(blockers_wake_ns(blockers, blocker), blocker->next_ns);
    fake_now += 999 * MS;
    blocker_release(blockers, blocker, PERIOD_NS, true, false);
    ck_assert(blocker->unavailable);
    fake_now += 2 * MS;
    uint64_t until = blocker->shut_until_ns;
    blocker_release(blockers, blocker, PERIOD_NS, true, false);
    ck_assert_uint_gt(blocker->shut_until_ns, until); /* the attempt failed */
    blockers_avoid(blockers, OTHER);
    ck_assert(blocker->own);
    blockers_free(blockers);
}
END_TEST

START_TEST(the_only_cpu_with_ticks_is_known)
{
    struct blockers *blockers = blockers_new();
    ck_assert_int_eq(blockers_only(blockers), -1);
    see(blockers, OWN);
    ck_assert_int_eq(blockers_only(blockers), OWN);
    see(blockers, OTHER);
    ck_assert_int_eq(blockers_only(blockers), -1);
    blockers_leave(blockers, OTHER); /* the thread has moved */
    ck_assert_int_eq(blockers_only(blockers), OTHER);
    ck_assert(!blockers_want(blockers, OWN));
    see(blockers, OWN);
    blockers_park(blockers);
    ck_assert_int_eq(blockers_only(blockers), -1);
    blockers_free(blockers);
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
    struct blockers *blockers = blockers_new();
    blockers->unseen_ns = lessons[_i].from;
    for (unsigned i = 0; i < lessons[_i].samples; i++)
        blockers_learn(blockers, (uint64_t)lessons[_i].weight * (PERIOD_NS / 1000), PERIOD_NS);
    ck_assert_int_ge(blockers->unseen_ns, lessons[_i].least);
    ck_assert_int_le(blockers->unseen_ns, lessons[_i].most);
    blockers_free(blockers);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("clock/blockers");
    tcase_add_test(tests, a_cpu_has_ticks_while_tracees_are_seen_there);
    tcase_add_test(tests, cpus_keep_their_ticks_while_enough_runs_somewhere);
    tcase_add_test(tests, each_period_has_one_instant);
    tcase_add_test(tests, pauses_move_the_schedule);
    tcase_add_test(tests, ticks_that_are_over_are_skipped_and_counted);
    UNIT_ADD_TABLE(tests, long_work_leaves_the_cpu_to_the_tracees, works);
    tcase_add_test(tests, long_work_leaves_a_tick_that_is_wanted_besides);
    tcase_add_test(tests, a_tick_is_wanted_besides);
    tcase_add_test(tests, a_missed_thread_has_an_early_tick);
    tcase_add_test(tests, a_cpu_that_cannot_be_had_is_shut_for_a_while);
    tcase_add_test(tests, the_only_cpu_with_ticks_is_known);
    UNIT_ADD_TABLE(tests, unseen_time_is_learnt_from_weights, lessons);
    return unit_end();
}
