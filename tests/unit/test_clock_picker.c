/* SPDX-License-Identifier: MIT
 *
 * The thread that a tick stops, chosen from the content of /proc. */
#include "fake_proc.h"

#include "tracer/clock/picker.h"

#include "fake_table.h"
#include "tracer/clock/blockers.h"
#include "unit.h"

#include <sys/syscall.h>
#include <time.h>

enum {
    FIRST = 5000000, /* larger than any real process number */
    THREADS = 4,
    BLOCKER_TOOK_US = 7000000, /* the time at which it took the CPU, on the scheduler's clock */
    HELD_CPU = 3,
    OWN_RAN_US = 500, /* since the caller woke up */
};

enum is {
    KNOWN = 1, /* its last stop showed that it was on the tick's CPU */
    QUIET = 2, /* not checked at each tick */
    ASKED = 4,
    SPARED = 8,
    ON_CPU = 16,
    WHOLE = 64, /* its counts explain all the time from its last stop until the CPU was taken */
    OFTEN = 32, /* others ran on its CPU several times since the last look */
};

/* The state of a thread at the tick. Threads with process 0 belong to the first process. */
struct standing {
    int process;
    char state;       /* in stat; 0: the thread does not exist */
    int cpu, seen_on; /* its CPU now, and at the last look */
    uint64_t ran_us;  /* since the last look */
    int64_t ended_us; /* the end of its last run, before the CPU was taken; negative: after that */
    unsigned is;      /* of enum is */
};

enum how { TAKEN, OWN, SHUT };

static uint64_t own_ran_ns, process_ran_ns;

int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
    uint64_t ns = clock < 0 ? process_ran_ns : own_ran_ns;
    if (clock >= 0 && clock != CLOCK_THREAD_CPUTIME_ID)
        return __real_clock_gettime(clock, now);
    *now = (struct timespec){(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    return 0;
}

static pid_t tid_of(size_t index)
{
    return FIRST + (pid_t)index;
}

/* Thread N is the first of a process of its own, or a thread of FIRST. */
static pid_t pid_of(const struct standing *standing, size_t index)
{
    return standing->process ? tid_of(index) : FIRST;
}

__attribute__((format(printf, 4, 5))) static void say(pid_t pid, pid_t tid, const char *name, const char *format, ...)
{
    char path[100], text[800];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    snprintf(path, sizeof path, "/proc/%d/task/%d/%s", (int)pid, (int)tid, name);
    fake_proc_say(path, text);
}

static void say_sched(pid_t pid, pid_t tid, uint64_t last_us, uint64_t switches)
{
    say(pid, tid, "sched", "x (1, #threads: 1)\n---\nse.exec_start : %lu.%06lu\nnr_switches : %lu\n", last_us / 1000,
        last_us % 1000 * 1000, switches);
}

enum { BEFORE_NS = 1000000, ARRIVALS = 100, TAKEN_NS = 900000000 };

static void say_thread(const struct standing *standing, pid_t pid, pid_t tid)
{
    char fields[400] = "";
    for (int field = 4; field < 39; field++)
        strcat(fields, " 0");
    say(pid, tid, "stat", "%d (a) R b) %c%s %d 0 0 0", (int)tid, standing->state, fields, standing->cpu);
    say(pid, tid, "status", "Name:\ta R\nUmask:\t0022\nState:\t%c (x)\nTgid:\t1\n", standing->state);
    say(pid, tid, "syscall", "%s", standing->state == 'R' ? "running\n" : "0 0x0 0x0 0x0 0x0 0x0 0x0 0x1 0x2\n");
    say(pid, tid, "schedstat", "%lu 0 %u\n", BEFORE_NS + standing->ran_us * 1000,
        standing->is & OFTEN ? ARRIVALS + 5 : ARRIVALS);
    say_sched(pid, tid, (uint64_t)(BLOCKER_TOOK_US - standing->ended_us),
              standing->is & ON_CPU ? ARRIVALS - 1 : ARRIVALS);
}

static void add_thread(struct table *table, const struct standing *standing, size_t index)
{
    pid_t pid = pid_of(standing, index), tid = tid_of(index);
    struct process *process = table_process(table, pid);
    if (!process) {
        process = table_add_process(table, pid, 1);
        process->image = (uint32_t)index + 1;
        process->clock->active = true;
    }
    struct thread *thread = table_add_thread(table, process, tid);
    thread->clock->account.seen = (struct schedstat){.ran_ns = BEFORE_NS, .arrivals = ARRIVALS};
    thread->clock->cpu = standing->seen_on;
    thread->clock->place_known = standing->is & KNOWN;
    thread->clock->busy = !(standing->is & QUIET);
    thread->clock->account.resumed_ns = standing->is & WHOLE ? TAKEN_NS - standing->ran_us * 1000 : 0;
    thread->clock->account.resumed_busy_ns = BEFORE_NS;
    thread->asked = standing->is & ASKED;
    thread->shielded = standing->is & SPARED;
    say_thread(standing, pid, tid);
}

static const struct {
    const char *name;
    enum how how;
    uint32_t contended;
    struct standing threads[THREADS];
    int chosen;   /* -1: none */
    bool certain; /* it was displaced for certain */
} choices[] = {
    {"nobody", TAKEN, 0, {{1, 0, 0, 0, 0, 0, 0}}, -1, false},
    {"one that has not run was not displaced", TAKEN, 0, {{1, 'R', 3, 3, 0, 0, 0}}, -1, false},
    {"the only one that is known there is taken without a closer look",
     TAKEN,
     0,
     {{1, 'R', 3, 3, 50, 9999, KNOWN}},
     0,
     false},
    {"so are threads of a process with several",
     TAKEN,
     0,
     {{0, 'R', 3, 3, 50, 9999, 0}, {0, 'R', 3, 3, 0, 0, 0}},
     0,
     false},
    {"an only thread, which may execute a program, is not", TAKEN, 0, {{1, 'R', 3, 3, 50, 9999, 0}}, -1, false},
    {"unless it shows that it had the CPU", TAKEN, 0, {{1, 'R', 3, 3, 50, 0, 0}}, 0, true},
    {"but with others' competition only after one", TAKEN, 5, {{1, 'R', 3, 3, 50, 9999, 0}}, -1, false},
    {"which shows that it had it", TAKEN, 5, {{1, 'R', 3, 3, 50, 0, 0}}, 0, true},
    {"one that had it until another took it for a microsecond", TAKEN, 5, {{1, 'R', 3, 3, 50, 1, 0}}, -1, false},
    {"one that has run since, on another CPU", TAKEN, 5, {{1, 'R', 3, 3, 50, -1, 0}}, -1, false},
    {"the only one, but others take it from it all the time", TAKEN, 0, {{1, 'R', 3, 3, 50, 1, OFTEN}}, -1, false},
    {"all the time, but not now", TAKEN, 0, {{1, 'R', 3, 3, 50, 0, OFTEN}}, 0, true},
    {"one that sleeps by now", TAKEN, 0, {{1, 'S', 3, 3, 50, 0, 0}}, -1, false},
    {"of two there the one that ran last", TAKEN, 0, {{1, 'R', 3, 3, 50, 400, 0}, {1, 'R', 3, 3, 50, 0, 0}}, 1, true},
    {"of two threads of one process", TAKEN, 0, {{0, 'R', 3, 3, 50, 0, 0}, {0, 'R', 3, 3, 50, 400, 0}}, 0, true},
    {"of two of which none ran until then",
     TAKEN,
     0,
     {{1, 'R', 3, 3, 50, 400, 0}, {1, 'R', 3, 3, 50, 300, 0}},
     -1,
     false},
    {"not the one that was there, but one that has come",
     TAKEN,
     0,
     {{1, 'R', 3, 3, 50, 400, 0}, {1, 'R', 3, 2, 50, 0, 0}},
     1,
     true},
    {"one that came from another CPU, and nobody was here", TAKEN, 0, {{1, 'R', 3, 2, 50, 0, 0}}, 0, true},
    {"one that was displaced here and waits elsewhere now", TAKEN, 0, {{1, 'R', 2, 3, 50, 0, 0}}, 0, true},
    {"one of several threads that has gone elsewhere",
     TAKEN,
     0,
     {{0, 'R', 2, 3, 50, 0, 0}, {0, 'R', 2, 3, 50, 0, 0}},
     -1,
     false},
    {"one that is known to have been here is not asked where it is",
     TAKEN,
     0,
     {{1, 'R', 2, 3, 50, 0, KNOWN}},
     0,
     false},
    {"a quiet thread of many is not looked at",
     TAKEN,
     0,
     {{0, 'R', 3, 3, 50, 0, QUIET}, {0, 'R', 3, 3, 50, 400, 0}},
     1,
     false},
    {"one that is asked already", TAKEN, 0, {{1, 'R', 3, 3, 50, 0, ASKED}}, 0, true},
    {"one in a call that must not be interrupted", TAKEN, 0, {{1, 'R', 3, 3, 50, 0, SPARED}}, -1, false},
    {"the tracer's own CPU: the one that ran until it was woken",
     OWN,
     0,
     {{1, 'R', 3, 3, 50, 400, 0}, {1, 'R', 3, 3, 50, 0, 0}},
     1,
     true},
    {"the tracer's own CPU: nobody did", OWN, 0, {{1, 'R', 3, 3, 50, 400, 0}, {1, 'R', 3, 3, 50, 500, 0}}, -1, false},
    {"one whose counts explain all of its time is not looked at more closely",
     TAKEN,
     5,
     {{1, 'R', 2, 3, 50, 9999, WHOLE | OFTEN}},
     0,
     true},
    {"nor is another one there", TAKEN, 5, {{1, 'R', 3, 3, 50, 0, 0}, {1, 'R', 3, 3, 50, 400, WHOLE}}, 1, true},
    {"of two such threads, the one that ran last",
     TAKEN,
     0,
     {{1, 'R', 3, 3, 50, 400, WHOLE}, {1, 'R', 3, 3, 50, 0, WHOLE}},
     1,
     true},
    {"two that did not run last", TAKEN, 0, {{1, 'R', 3, 3, 50, 400, WHOLE}, {1, 'R', 3, 3, 50, 9, WHOLE}}, -1, false},
    {"the tracer's own CPU: one whose counts explain all", OWN, 0, {{1, 'R', 3, 3, 50, 9999, WHOLE}}, 0, true},
    {"one with such counts that must not be interrupted", TAKEN, 0, {{1, 'R', 3, 3, 50, 0, WHOLE | SPARED}}, -1, false},
    {"a CPU that is not ours does not displace it", SHUT, 5, {{1, 'R', 3, 3, 50, 50, WHOLE}}, -1, false},
    {"a CPU that is not ours: the one that is on it now",
     SHUT,
     1,
     {{1, 'R', 3, 3, 50, 0, 0}, {1, 'R', 3, 3, 50, -50, ON_CPU}},
     1,
     false},
    {"a CPU that is not ours: all wait", SHUT, 1, {{1, 'R', 3, 3, 50, 0, 0}, {1, 'R', 3, 3, 50, 0, 0}}, -1, false},
};

static struct table *table_new(const struct standing *threads)
{
    static const struct table_rooms rooms = {
        .clock_thread = {sizeof(struct clock_thread), &clock_thread_initial},
        .clock_process = {sizeof(struct clock_process), NULL},
    };
    struct table *table = calloc(1, sizeof *table);
    table->rooms = rooms;
    for (size_t i = 0; i < THREADS; i++)
        if (threads[i].state)
            add_thread(table, &threads[i], i);
    return table;
}

/* Writes sched of the tracer's thread or a CPU blocker. */
static int sched_of_ours(pid_t tid, uint64_t last_us)
{
    char path[100];
    say_sched(getpid(), tid, last_us, 0);
    snprintf(path, sizeof path, "/proc/%d/task/%d/sched", (int)getpid(), (int)tid);
    int fd = proc_open(path, O_RDONLY);
    ck_assert_int_ge(fd, 0);
    return fd;
}

START_TEST(the_thread_that_the_tick_displaced_is_chosen)
{
    struct picker picker;
    struct candidate chosen = {0};
    struct blocker blocker = {.cpu = HELD_CPU, .own = choices[_i].how == OWN, .unavailable = choices[_i].how == SHUT};
    fake_proc_begin();
    struct table *table = table_new(choices[_i].threads);
    int ours = sched_of_ours((pid_t)syscall(SYS_gettid), BLOCKER_TOOK_US + OWN_RAN_US);
    picker_start(&picker, table, NULL);
    own_ran_ns = OWN_RAN_US * 1000 + 600000;
    picker.own_ran_ns = 600000;
    picker.taken_ns = choices[_i].how == SHUT ? 0 : TAKEN_NS;
    picker.contended_ticks = choices[_i].contended;
    blocker.sched_fd = sched_of_ours(FIRST + 100, BLOCKER_TOOK_US);
    bool found = picker_choose(&picker, &blocker, &chosen);
    int number = found ? chosen.thread->tid - FIRST : -1;
    ck_assert_msg(number == choices[_i].chosen, "%s: %d", choices[_i].name, number);
    ck_assert_msg(chosen.certain == choices[_i].certain, "%s", choices[_i].name);
    ck_assert_int_eq(blocker.last, found ? chosen.thread->tid : 0);
    close(ours);
    close(blocker.sched_fd);
    fake_proc_end();
    fake_table_free(table);
    free(table);
    free(picker.items);
}
END_TEST

/* On a contended CPU, the thread that was displaced last is usually displaced again. If so, no other thread is
 * checked. */
START_TEST(the_last_one_is_tried_first)
{
    static const struct standing threads[THREADS] = {
        {1, 'R', 3, 3, 50, 400, 0}, {1, 'R', 3, 3, 50, 0, 0}, {1, 'R', 3, 3, 50, 400, 0}};
    struct picker picker;
    struct candidate chosen;
    struct blocker blocker = {.cpu = HELD_CPU};
    fake_proc_begin();
    struct table *table = table_new(threads);
    picker_start(&picker, table, NULL);
    blocker.sched_fd = sched_of_ours(FIRST + 100, BLOCKER_TOOK_US);
    ck_assert(picker_choose(&picker, &blocker, &chosen));
    ck_assert_int_eq(chosen.thread->tid, tid_of(1));
    ck_assert(blocker.rivalry);
    for (size_t i = 0; i < 3; i++) {
        struct standing again = threads[i];
        again.ran_us = 100;
        say_thread(&again, tid_of(i), tid_of(i));
    }
    ck_assert(picker_choose(&picker, &blocker, &chosen));
    ck_assert_int_eq(chosen.thread->tid, tid_of(1));
    ck_assert_uint_eq(picker.count, 1);
    ck_assert_uint_eq(table_thread(table, tid_of(0))->clock->account.seen.ran_ns, BEFORE_NS + 50000);
    close(blocker.sched_fd);
    fake_proc_end();
    fake_table_free(table);
    free(table);
    free(picker.items);
}
END_TEST

enum { POOL = 300 };

/* The threads of a pool sleep, except number N. */
static void say_runs(int n, uint64_t ran_us)
{
    for (int i = 0; i < POOL; i++) {
        struct standing standing = {0, i == n ? 'R' : 'S', HELD_CPU, HELD_CPU + 1, i == n ? ran_us : 0, 0, 0};
        say_thread(&standing, FIRST, tid_of((size_t)i));
    }
}

/* Returns how many ticks it takes to find thread N of the pool. */
static int ticks_until_found(struct picker *picker, struct blocker *blocker, int n)
{
    struct candidate chosen;
    for (int ticks = 1; ticks < POOL; ticks++) {
        picker->vain_until_ns = 0;
        if (picker_choose(picker, blocker, &chosen)) {
            ck_assert_int_eq(chosen.thread->tid, tid_of((size_t)n));
            ck_assert(!picker->is_crowd);
            return ticks;
        }
        ck_assert(picker->is_crowd);
        ck_assert_uint_gt(picker->vain_until_ns, 0); /* a look in vain is followed by a rest */
    }
    return POOL;
}

/* Work moves between the threads of a pool. None was lately seen on this CPU, and a tick cannot look at all of them. */
START_TEST(the_running_thread_of_a_pool_is_found)
{
    static const struct standing none[THREADS] = {{0}};
    struct picker picker;
    struct candidate chosen;
    struct blocker blocker = {.cpu = HELD_CPU};
    fake_proc_begin();
    struct table *table = table_new(none);
    for (size_t i = 0; i < POOL; i++)
        add_thread(table, &(struct standing){0, 'S', HELD_CPU, HELD_CPU + 1, 0, 0, QUIET}, i);
    table->processes[0]->cpu_clock = -1;
    picker_start(&picker, table, NULL);
    blocker.sched_fd = sched_of_ours(FIRST + POOL, BLOCKER_TOOK_US);
    process_ran_ns = 0;
    ck_assert(!picker_choose(&picker, &blocker, &chosen));
    ck_assert_uint_eq(picker.looked, 0); /* the process has not run */
    ck_assert(!picker.is_crowd);
    process_ran_ns = 1000000000;
    say_runs(100, 50);
    ck_assert_int_le(ticks_until_found(&picker, &blocker, 100), 3);
    say_runs(105, 50); /* usually one created after it is next */
    ck_assert_int_eq(ticks_until_found(&picker, &blocker, 105), 1);
    say_runs(20, 50);
    ck_assert_int_le(ticks_until_found(&picker, &blocker, 20), 3);
    say_runs(299, 50);
    ck_assert_int_le(ticks_until_found(&picker, &blocker, 299), 3);
    say_runs(150, 50);
    picker.vain_until_ns = UINT64_MAX;
    ck_assert(!picker_choose(&picker, &blocker, &chosen)); /* it rests */
    ck_assert(picker.is_crowd);
    close(blocker.sched_fd);
    fake_proc_end();
    fake_table_free(table);
    free(table);
    free(picker.items);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("clock/picker");
    UNIT_ADD_TABLE(tests, the_thread_that_the_tick_displaced_is_chosen, choices);
    tcase_add_test(tests, the_last_one_is_tried_first);
    tcase_add_test(tests, the_running_thread_of_a_pool_is_found);
    return unit_end();
}
