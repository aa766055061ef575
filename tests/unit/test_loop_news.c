/* SPDX-License-Identifier: MIT
 *
 * The order in which threads are asked for events. No thread exists: the functions that ask are replaced. */
#include "tracer/loop/news.h"

#include "fake_table.h"
#include "tracer/loop/dispatch.h"
#include "tracer/loop/tracer.h"
#include "unit.h"

#include <stdio.h>

enum { FEW = 10, SOME = 100, MANY = 1000, FIRST_TID = 5000000, SOON = 999999 };
#define MS 1000000ull

static struct tracer tracer;
static uint64_t now_ns;
static int unnamed; /* threads with events that no signal has named */
static char asked[400];
static size_t asked_each; /* further threads */
static pid_t silent[3];   /* have no event */
static bool endless;      /* the few threads have events all the time */
static int heard_left;    /* events of threads that follow_hear has still to return */

uint64_t __wrap_time_now_ns(void);
uint64_t __wrap_time_now_ns(void)
{
    return now_ns;
}

bool __wrap_dispatch_heard(struct tracer *own, pid_t tid);
bool __wrap_dispatch_heard(struct tracer *own, pid_t tid)
{
    char text[20];
    ck_assert(own == &tracer);
    snprintf(text, sizeof text, tid ? "%d " : "any ", tid ? (int)tid - FIRST_TID : 0);
    if (tracer.news.unasked || asked_each)
        asked_each++;
    else
        strcat(asked, text);
    for (size_t i = 0; i < sizeof silent / sizeof *silent; i++)
        if (tid && tid == silent[i])
            return false;
    return tid || (unnamed && unnamed--);
}

bool __wrap_dispatch_all(struct tracer *own);
bool __wrap_dispatch_all(struct tracer *own)
{
    ck_assert(own == &tracer);
    strcat(asked, "all ");
    return !endless;
}

bool __real_dispatch_all(struct tracer *own);

/* Each event takes 10 us. */
bool __wrap_follow_hear(struct follow *follow, pid_t tid);
bool __wrap_follow_hear(struct follow *follow, pid_t tid)
{
    ck_assert(follow == &tracer.follow && !tid);
    now_ns += 10000;
    return heard_left && heard_left--;
}

bool __wrap_follow_next(struct follow *follow, struct follow_event *event);
bool __wrap_follow_next(struct follow *follow, struct follow_event *event)
{
    ck_assert(follow == &tracer.follow && event);
    return false;
}

/* What the loop does with news of threads, one call after another. */
static const struct {
    const char *name;
    size_t threads;
    unsigned later_us;
    int hints[3], expected[3], late; /* 0: no more */
    int silent[3];
    int unnamed;
    const char *asked;
    size_t asked_each;
    unsigned until_us; /* from now on; 0: until a signal; SOON: at once */
} calls[] = {
    {"few threads: all of them", FEW, 0, {1}, {2}, 0, {0}, 0, "all ", 0, 0},
    {"some: the same", SOME, 0, {1}, {2}, 0, {0}, 0, "all ", 0, 0},
    {"but not soon after without a signal", SOME, 4000, {0}, {0}, 0, {0}, 0, "", 0, 6000},
    {"many: later, any of them", MANY, 10000, {0}, {0}, 0, {0}, 0, "any ", 0, 0},
    {"soon after", MANY, 2000, {0}, {0}, 0, {0}, 0, "", 0, 8000},
    {"first those that a signal has named, then probable ones",
     MANY,
     1000,
     {5, 3},
     {8, 9},
     0,
     {0},
     0,
     "5 3 9 8 any ",
     0,
     0},
    {"a signal right after", MANY, 10, {7}, {0}, 0, {0}, 0, "7 ", 0, 990},
    {"that time is over, and one had no signal", MANY, 990, {0}, {0}, 0, {0}, 1, "any any ", 0, 0},
    {"a probable thread without an event is asked again", MANY, 1, {0}, {6}, 0, {6}, 0, "6 ", 0, 9999},
    {"until it has one", MANY, 1, {0}, {0}, 0, {0}, 0, "6 ", 0, 9998},
    {"no more", MANY, 1, {0}, {0}, 0, {0}, 0, "", 0, 9997},
    {"unless a signal has named it", MANY, 1, {6}, {6}, 0, {0}, 0, "6 ", 0, 996},
    {"a late stop is asked for before each of the others", MANY, 1, {1, 2}, {3}, 4, {4}, 0, "4 1 4 2 4 3 ", 0, 995},
    {"until it comes", MANY, 1, {1, 2}, {0}, 0, {0}, 0, "4 1 2 ", 0, 994},
    {"no more", MANY, 994, {0}, {0}, 0, {0}, 0, "any ", 0, 0},
    {"very many at once: then each is asked", MANY, 1000, {1}, {0}, 0, {0}, 5, "1 any any any any ", 0, SOON},
    {"some on each turn, after those with signals", MANY, 10, {1}, {0}, 0, {0}, 0, "", 129, SOON},
    {"nothing happens", FEW, 9999, {0}, {0}, 0, {0}, 0, "all ", 0, 0},
};

static void be_many(size_t count)
{
    struct table *table = &tracer.follow.table;
    if (!table->process_count)
        ck_assert_ptr_nonnull(table_add_process(table, FIRST_TID, 1));
    while (table->count < count)
        ck_assert_ptr_nonnull(table_add_thread(table, table->processes[0], FIRST_TID + (pid_t)table->count));
    while (table->count > count)
        table_remove_thread(table, table->threads[table->count - 1]);
}

static void prepare(size_t call)
{
    be_many(calls[call].threads);
    for (int i = 0; i < 3 && calls[call].hints[i]; i++)
        news_hint(&tracer.news, FIRST_TID + calls[call].hints[i]);
    for (int i = 0; i < 3 && calls[call].expected[i]; i++)
        news_expect(&tracer.news, FIRST_TID + calls[call].expected[i]);
    if (calls[call].late)
        news_await(&tracer.news, FIRST_TID + calls[call].late);
    for (int i = 0; i < 3; i++)
        silent[i] = FIRST_TID + calls[call].silent[i];
    unnamed = calls[call].unnamed;
    now_ns += calls[call].later_us * 1000ull;
    asked[0] = 0;
    asked_each = 0;
}

START_TEST(threads_are_asked_in_an_order)
{
    now_ns = 5000 * MS;
    for (size_t i = 0; i < UNIT_ROWS(calls); i++) {
        prepare(i);
        uint64_t until_ns = news_hear(&tracer);
        ck_assert_msg(!strcmp(asked, calls[i].asked), "%s: %s", calls[i].name, asked);
        ck_assert_msg(asked_each == calls[i].asked_each, "%s: %zu", calls[i].name, asked_each);
        uint64_t expected_ns = calls[i].until_us ? now_ns + calls[i].until_us * 1000ull : 0;
        if (calls[i].until_us == SOON)
            expected_ns = now_ns;
        ck_assert_msg(until_ns == expected_ns, "%s: until %llu, not %llu", calls[i].name, (unsigned long long)until_ns,
                      (unsigned long long)expected_ns);
    }
    fake_table_free(&tracer.follow.table);
}
END_TEST

/* Each thread is asked once, also if some end before. Then the loop sleeps again. */
START_TEST(each_thread_is_asked)
{
    struct table *table = &tracer.follow.table;
    memset(&tracer, 0, sizeof tracer);
    memset(silent, 0, sizeof silent);
    be_many(MANY);
    now_ns = 5000 * MS;
    asked_each = 0;
    unnamed = 0;
    tracer.news.swept_ns = now_ns;
    tracer.news.unasked = MANY;
    ck_assert_uint_eq(news_hear(&tracer), now_ns);
    size_t before = asked_each;
    ck_assert_uint_gt(before, 0);
    for (int i = 0; i < 100; i++)
        table_remove_thread(table, table->threads[i * 7]);
    for (int turn = 0; tracer.news.unasked; turn++) {
        ck_assert_int_lt(turn, MANY);
        news_hear(&tracer);
    }
    ck_assert_uint_ge(asked_each, MANY - 100);
    ck_assert_uint_le(asked_each, MANY);
    ck_assert_uint_gt(news_hear(&tracer), now_ns);
    fake_table_free(table);
}
END_TEST

/* While a stop is awaited, its thread is asked first, and few others. */
START_TEST(a_wait_asks_few)
{
    memset(&tracer, 0, sizeof tracer);
    memset(silent, 0, sizeof silent);
    be_many(MANY);
    asked_each = 0;
    asked[0] = 0;
    news_hint(&tracer.news, FIRST_TID + 1);
    ck_assert(tracer.news.waiting);
    news_hear_beside(&tracer, FIRST_TID + 2);
    ck_assert_str_eq(asked, "2 1 ");
    be_many(FEW);
    news_hear_beside(&tracer, FIRST_TID + 2);
    ck_assert_str_eq(asked, "2 1 all ");
    fake_table_free(&tracer.follow.table);
}
END_TEST

/* Threads that always have events do not keep the loop from its other work. */
START_TEST(endless_events_leave_time)
{
    enum { ENDLESS = 1000000 };
    memset(&tracer, 0, sizeof tracer);
    heard_left = 100;
    ck_assert(__real_dispatch_all(&tracer));
    ck_assert_int_eq(heard_left, 0);
    heard_left = ENDLESS;
    ck_assert(!__real_dispatch_all(&tracer));
    ck_assert_int_gt(heard_left, ENDLESS - 1000);

    be_many(FEW);
    asked[0] = 0;
    endless = true;
    ck_assert_uint_eq(news_hear(&tracer), now_ns); /* do not sleep, */
    ck_assert(tracer.news.waiting);
    endless = false;
    ck_assert_uint_eq(news_hear(&tracer), 0); /* and ask again without a signal */
    ck_assert_str_eq(asked, "all all ");
    fake_table_free(&tracer.follow.table);
}
END_TEST

/* Hints without room, and expected threads without room, are dropped, but a sweep follows. */
START_TEST(too_many_hints_are_dropped)
{
    memset(&tracer, 0, sizeof tracer);
    memset(silent, 0, sizeof silent);
    be_many(MANY);
    asked_each = 1;
    for (int i = 0; i < NEWS_HINTS + 3; i++)
        news_hint(&tracer.news, FIRST_TID + i);
    for (int i = 0; i < NEWS_TIDS + 3; i++)
        news_expect(&tracer.news, FIRST_TID + 500 + i);
    now_ns = tracer.news.swept_ns;
    news_hear(&tracer);
    ck_assert_uint_eq(asked_each, 1 + NEWS_HINTS + NEWS_TIDS);
    ck_assert(tracer.news.any && !tracer.news.waiting);
    news_hint(&tracer.news, 0); /* a process that we cannot see */
    news_hear(&tracer);
    ck_assert_uint_eq(asked_each, 1 + NEWS_HINTS + NEWS_TIDS);
    fake_table_free(&tracer.follow.table);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("loop/news");
    tcase_add_test(tests, threads_are_asked_in_an_order);
    tcase_add_test(tests, each_thread_is_asked);
    tcase_add_test(tests, a_wait_asks_few);
    tcase_add_test(tests, endless_events_leave_time);
    tcase_add_test(tests, too_many_hints_are_dropped);
    return unit_end();
}
