/* SPDX-License-Identifier: MIT
 *
 * profil counts all threads of the process, whichever thread called it. */
#include "calls.h"
#include "conformance.h"

#include <pthread.h>
#include <string.h>

#define THREADS_MAX 50

struct worker {
    pthread_t thread;
    enum spin_loop loop;
    unsigned milliseconds;
};

static void *work(void *argument)
{
    const struct worker *worker = argument;

    spin_thread(worker->loop, worker->milliseconds);
    return NULL;
}

/* Runs COUNT threads at once, spread over the first LOOPS loops, each for MILLISECONDS of its CPU time. */
static void run_threads(size_t count, unsigned loops, unsigned milliseconds)
{
    struct worker workers[THREADS_MAX];

    for (size_t i = 0; i < count; i++) {
        workers[i] = (struct worker){.loop = (enum spin_loop)(i % loops), .milliseconds = milliseconds};
        CHECK(pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0, "no thread");
    }
    for (size_t i = 0; i < count; i++)
        pthread_join(workers[i].thread, NULL);
}

/* Each thread runs in a loop of its own, and every loop must count. */
static void four_threads(unsigned milliseconds, uint64_t tolerance)
{
    struct counts counts;
    struct watch all;

    calls_count(&counts);
    all = watch_begin("four threads", counts.of, 4);
    run_threads(4, 4, milliseconds);
    for (int loop = LOOP_A; loop <= LOOP_D; loop++)
        CHECK_COUNT(counts.of[loop] > 0, "one of four threads was never found");
    watch_end(&all, LOOP_A, tolerance);
}

static void four_threads_for_long(void)
{
    four_threads(2000, 8);
}

static void four_threads_for_short(void)
{
    four_threads(150, TICKS_EXACT + 1);
}

static void *turn_on(void *counts)
{
    calls_count(counts);
    return NULL;
}

static void *turn_off(void *unused)
{
    calls_off();
    return unused;
}

/* One thread turns profil on and ends. profil must go on for the others, until another thread turns it off. */
static void whichever_called(void)
{
    static struct counts counts;
    pthread_t thread;

    CHECK(pthread_create(&thread, NULL, turn_on, &counts) == 0 && pthread_join(thread, NULL) == 0, "no thread");
    calls_check_on(&counts, LOOP_A, "turned on by a thread that is gone");
    CHECK(pthread_create(&thread, NULL, turn_off, NULL) == 0 && pthread_join(thread, NULL) == 0, "no thread");
    calls_check_off(&counts, LOOP_A, "turned off by another thread");
}

/* No thread lives for a whole tick, but together with the main thread they must get all ticks of the process. One bin
 * covers all program counters. */
static void short_threads(void)
{
    uint16_t bin[1] = {0};
    struct watch watch;

    calls_profil(bin, sizeof bin, 0, is_in(SYSTEM_LINUX) ? 0 : 2);
    watch = watch_begin("fifty threads of 5 ms", bin, 1);
    for (int i = 0; i < 5; i++)
        run_threads(10, 1, 5);
    watch_end(&watch, LOOP_A, TICKS_EXACT);
}

const struct conformance_case cases_threads[] = {
    {"profil.threads", SYSTEM_LINUX, four_threads_for_long, true, "four threads of two seconds"},
    {"profil.threads", IN_PROFIL & ~SYSTEM_LINUX, four_threads_for_short, false, "four threads"},
    {"profil.threads", IN_PROFIL, whichever_called, true, "whichever called"},
    {"profil.threads", SYSTEM_LINUX | SYSTEM_IRIX | SYSTEM_ILLUMOS, short_threads, false, "fifty threads of 5 ms"},
    {NULL, 0, NULL, false, NULL},
};
