/* SPDX-License-Identifier: MIT
 *
 * Looks at running threads; a process can have thousands. */
#include "fake_proc.h"

#include "tracer/clock/scan.h"

#include "common/model/proctext.h"
#include "fake_table.h"
#include "tracer/clock/picker.h"
#include "tracer/clock/state.h"
#include "unit.h"

#include <time.h>

enum {
    FIRST = 5000000, /* larger than any real process number */
    CPU = 3,
    BEFORE_NS = 1000000,
    ARRIVALS = 100,
    TOOK_NS = 1000, /* duration of reading one thread, and of reading the clock */
};

static uint64_t thread_clock_ns, process_clock_ns;
static struct table table;
static struct picker picker;
static volatile sig_atomic_t news;

int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
    uint64_t ns;
    if (clock == CLOCK_THREAD_CPUTIME_ID)
        ns = thread_clock_ns += TOOK_NS;
    else if (clock == CLOCK_PROCESS_CPUTIME_ID)
        ns = process_clock_ns;
    else
        return __real_clock_gettime(clock, now);
    *now = (struct timespec){(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    return 0;
}

static void say(pid_t tid, const char *name, const char *text)
{
    char path[100];
    snprintf(path, sizeof path, "/proc/%d/task/%d/%s", FIRST, (int)tid, name);
    fake_proc_say(path, text);
}

/* Thread TID has run for RAN_NS since the test began. */
static void say_ran(pid_t tid, uint64_t ran_ns)
{
    char text[100];
    snprintf(text, sizeof text, "%lu 0 %d\n", BEFORE_NS + ran_ns, ran_ns ? ARRIVALS + 1 : ARRIVALS);
    say(tid, "schedstat", text);
}

static void say_state(pid_t tid, char state)
{
    char text[400], fields[200] = "";
    for (int field = 4; field < 39; field++)
        strcat(fields, " 0");
    snprintf(text, sizeof text, "%d (a) %c%s %d 0 0 0", (int)tid, state, fields, CPU);
    say(tid, "stat", text);
}

/* Creates a process of COUNT sleeping threads, BUSY or not. None has run since the last look. */
static void begin(int count, bool busy)
{
    static const struct table_rooms rooms = {
        .clock_thread = {sizeof(struct clock_thread), &clock_thread_initial},
        .clock_process = {sizeof(struct clock_process), NULL},
    };
    fake_proc_begin();
    table = (struct table){.rooms = rooms};
    struct process *process = table_add_process(&table, FIRST, 1);
    process->image = 1;
    process->clock->active = true;
    process->cpu_clock = CLOCK_PROCESS_CPUTIME_ID;
    process_clock_ns = 1000000;
    for (int i = 0; i < count; i++) {
        struct thread *thread = table_add_thread(&table, process, FIRST + i);
        thread->clock->account.seen = (struct schedstat){.ran_ns = BEFORE_NS, .arrivals = ARRIVALS};
        thread->clock->busy = busy;
        say_ran(thread->tid, 0);
        say_state(thread->tid, 'S');
    }
    news = 0;
    picker_start(&picker, &table, &news);
}

/* Creates a process of COUNT threads that each ran briefly since the last look. */
static void begin_ran(int count)
{
    begin(count, false);
    for (int i = 0; i < count; i++)
        say_ran(FIRST + i, 50000);
}

static void end(void)
{
    fake_proc_end();
    fake_table_free(&table);
    free(picker.items);
}

/* Looks again as early as possible, after the process used more time than its known threads explain. */
static void look(void)
{
    process_clock_ns += 100000000;
    ck_assert(scan_look(&picker, picker.paused_until_ns));
}

static int count_busy(void)
{
    int busy = 0;
    for (size_t i = 0; i < table.count; i++)
        busy += table.threads[i]->clock->busy;
    return busy;
}

static int count_seen(void)
{
    int seen = 0;
    for (size_t i = 0; i < table.count; i++)
        seen += table.threads[i]->clock->account.seen.ran_ns > BEFORE_NS;
    return seen;
}

START_TEST(a_quiet_thread_that_runs_is_found)
{
    begin(10, false);
    say_ran(FIRST + 4, 50000);
    say_state(FIRST + 4, 'R');
    look();
    ck_assert_uint_eq(picker.count, 1);
    ck_assert_int_eq(picker.items[0].thread->tid, FIRST + 4);
    ck_assert_int_eq(picker.items[0].cpu, CPU);
    ck_assert_int_eq(count_busy(), 1);
    ck_assert_int_eq(picker.items[0].thread->stat_fd >= 0, 1);
    ck_assert_int_eq(table_thread(&table, FIRST + 5)->stat_fd, -1); /* its stat was not opened */
    end();
}
END_TEST

/* A thread that has just got the CPU for the first time has no CPU time yet. */
START_TEST(a_new_thread_is_looked_at)
{
    begin(10, false);
    say(FIRST + 4, "schedstat", "1000000 0 101\n");
    say_state(FIRST + 4, 'R');
    look();
    ck_assert_uint_eq(picker.count, 1);
    end();
}
END_TEST

START_TEST(few_threads_are_all_looked_at_each_time)
{
    begin_ran(60);
    news = 1;
    look();
    ck_assert_int_eq(count_seen(), 60);
    ck_assert_uint_eq(picker.paused_until_ns, 0);
    end();
}
END_TEST

START_TEST(many_are_looked_at_in_parts_with_rests)
{
    begin_ran(1000);
    look();
    ck_assert_int_eq(count_seen(), PICKER_THREADS);
    ck_assert_uint_gt(picker.paused_until_ns, 0);
    ck_assert(!scan_look(&picker, picker.paused_until_ns - 1));
    for (int looks = 0; looks < 3; looks++)
        look();
    ck_assert_int_eq(count_seen(), 1000);
    end();
}
END_TEST

START_TEST(a_look_continues_after_removals)
{
    begin_ran(1000);
    look();
    ck_assert_int_ne(table.processes[0]->clock->next_quiet, 0);
    table_remove_thread(&table, table_thread(&table, table.processes[0]->clock->next_quiet));
    for (int looks = 0; looks < 5; looks++)
        look();
    ck_assert_int_eq(count_seen(), 999);
    end();
}
END_TEST

START_TEST(a_look_ends_early_if_events_wait)
{
    begin_ran(1000);
    news = 1;
    look();
    ck_assert_int_ge(count_seen(), 1);
    ck_assert_int_lt(count_seen(), PICKER_THREADS);
    for (int looks = 0; looks < 100 && count_seen() < 1000; looks++)
        look();
    ck_assert_int_eq(count_seen(), 1000);
    end();
}
END_TEST

/* New threads count as busy, but all of these sleep. */
START_TEST(a_crowd_that_sleeps_is_soon_quiet)
{
    begin(1000, true);
    for (int looks = 0; looks < 10; looks++)
        look();
    ck_assert_int_lt(count_busy(), 400);
    end();
}
END_TEST

/* A thousand threads run now and then, and one runs much. Only that one must be checked at each tick. */
START_TEST(the_busiest_thread_of_a_crowd_is_busy)
{
    begin(1000, false);
    uint64_t crowd_ns = 0;
    for (int looks = 0; looks < 16; looks++) {
        for (int i = 0; i < 1000 && looks % 4 == 0; i++)
            say_ran(FIRST + i, crowd_ns + 50000);
        crowd_ns += looks % 4 ? 0 : 50000;
        say_ran(FIRST, (uint64_t)(looks + 1) * 10000000);
        look();
    }
    ck_assert(table_thread(&table, FIRST)->clock->busy);
    ck_assert_int_gt(count_busy(), 100);
    ck_assert_int_lt(count_busy(), 700);
    ck_assert_uint_gt(picker.crowd_ran_ns, 0);
    end();
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("clock/scan");
    tcase_add_test(tests, a_quiet_thread_that_runs_is_found);
    tcase_add_test(tests, a_new_thread_is_looked_at);
    tcase_add_test(tests, few_threads_are_all_looked_at_each_time);
    tcase_add_test(tests, many_are_looked_at_in_parts_with_rests);
    tcase_add_test(tests, a_look_continues_after_removals);
    tcase_add_test(tests, a_look_ends_early_if_events_wait);
    tcase_add_test(tests, a_crowd_that_sleeps_is_soon_quiet);
    tcase_add_test(tests, the_busiest_thread_of_a_crowd_is_busy);
    return unit_end();
}
