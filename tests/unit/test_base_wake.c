/* SPDX-License-Identifier: MIT */
#include "common/base/time.h"
#include "common/base/wake.h"

#include "unit.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MS = 1000000 };
#define SECOND ((uint64_t)1000 * MS)

/* A sleep until this time exceeds the test's time limit. */
#define NEVER (time_now_ns() + 3600 * SECOND)

START_TEST(time_is_the_monotonic_one)
{
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    uint64_t now = time_now_ns(), later = time_now_ns();
    clock_gettime(CLOCK_MONOTONIC, &after);
    ck_assert_uint_ge(now, (uint64_t)before.tv_sec * SECOND + (uint64_t)before.tv_nsec);
    ck_assert_uint_ge(later, now);
    ck_assert_uint_le(later, (uint64_t)after.tv_sec * SECOND + (uint64_t)after.tv_nsec);
}
END_TEST

static const uint32_t values[] = {0, 1, 41, 43, UINT32_MAX};

START_TEST(a_word_that_has_changed_is_not_slept_on)
{
    _Atomic uint32_t word = 42;
    wake_wait(&word, values[_i], NEVER);
    wake_wait(&word, values[_i], 0);
    ck_assert_uint_eq(atomic_load(&word), 42);
}
END_TEST

/* Nanoseconds ahead of now. */
static const int64_t ahead[] = {-(int64_t)MS, 0, 1, MS, 30 * MS};

START_TEST(a_sleep_ends_at_its_time)
{
    _Atomic uint32_t word = 7;
    uint64_t until = time_now_ns() + (uint64_t)ahead[_i];
    wake_wait(&word, 7, until);
    ck_assert_uint_ge(time_now_ns(), until);
    ck_assert_uint_eq(atomic_load(&word), 7);
}
END_TEST

START_TEST(a_signal_changes_the_word)
{
    _Atomic uint32_t word = UINT32_MAX;
    for (int i = 0; i < 3; i++) { /* also where its counter overflows */
        uint32_t seen = atomic_load(&word);
        wake_signal(&word);
        ck_assert_uint_ne(atomic_load(&word), seen);
        wake_wait(&word, seen, NEVER);
    }
}
END_TEST

struct pair {
    _Atomic uint32_t ping, pong;
};

static void answer(struct pair *shared, uint32_t rounds)
{
    for (uint32_t i = 0; i < rounds; i++) {
        while (atomic_load(&shared->ping) == i)
            wake_wait(&shared->ping, i, 0);
        wake_signal(&shared->pong);
    }
}

/* Each process sleeps without a timeout until the other one wakes it. A lost wake-up blocks the test. */
START_TEST(two_processes_wake_each_other)
{
    enum { ROUNDS = 2000 };
    struct pair *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(shared, MAP_FAILED);
    pid_t other = fork();
    ck_assert_int_ge(other, 0);
    if (!other) {
        answer(shared, ROUNDS);
        _exit(0);
    }
    for (uint32_t i = 0; i < ROUNDS; i++) {
        wake_signal(&shared->ping);
        while (atomic_load(&shared->pong) == i)
            wake_wait(&shared->pong, i, 0);
    }
    int status;
    ck_assert_int_eq(waitpid(other, &status, 0), other);
    ck_assert_int_eq(status, 0);
    ck_assert_uint_eq(atomic_load(&shared->pong), ROUNDS);
    munmap(shared, sizeof *shared);
}
END_TEST

static _Atomic uint32_t signalled;

static void on_alarm(int sig)
{
    (void)sig;
    wake_signal(&signalled);
}

static void alarm_after(long microseconds, bool restart)
{
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = restart ? SA_RESTART : 0};
    struct itimerval timer = {.it_value = {.tv_usec = microseconds}};
    ck_assert_int_eq(sigaction(SIGALRM, &action, NULL), 0);
    ck_assert_int_eq(setitimer(ITIMER_REAL, &timer, NULL), 0);
}

START_TEST(a_handler_ends_a_sleep)
{
    alarm_after(20000, _i);
    wake_wait(&signalled, 0, NEVER);
    ck_assert_uint_eq(atomic_load(&signalled), 1);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("base/wake");
    tcase_add_test(tests, time_is_the_monotonic_one);
    UNIT_ADD_TABLE(tests, a_word_that_has_changed_is_not_slept_on, values);
    UNIT_ADD_TABLE(tests, a_sleep_ends_at_its_time, ahead);
    tcase_add_test(tests, a_signal_changes_the_word);
    tcase_add_test(tests, two_processes_wake_each_other);
    tcase_add_loop_test(tests, a_handler_ends_a_sleep, 0, 2);
    return unit_end();
}
