/* SPDX-License-Identifier: MIT
 *
 * Very many short threads. Each must have run once.
 *
 *     thread_burst [THREADS [ALIVE]]
 * At most ALIVE exist at the same time. If all may, none begins its work before all exist. */
#include "target.h"

#include <pthread.h>
#include <stdatomic.h>

DEFINE_SPIN(burst_most, 0x7d1)
DEFINE_SPIN(burst_rest, 0x7d2)

enum { STACK = 32 << 10, LIFE_US = 300, MOST_PERCENT = 75 };

static uint64_t rounds;
static atomic_ulong ran;
static pthread_rwlock_t gate = PTHREAD_RWLOCK_INITIALIZER;

static void *live(void *argument)
{
    CHECK(pthread_rwlock_rdlock(&gate) == 0);
    CHECK(pthread_rwlock_unlock(&gate) == 0);
    burst_most(rounds * MOST_PERCENT / 100);
    burst_rest(rounds * (100 - MOST_PERCENT) / 100);
    atomic_fetch_add(&ran, 1);
    return argument;
}

static void join(const pthread_t *threads, size_t number)
{
    void *result;
    CHECK(pthread_join(threads[number], &result) == 0 && result == (void *)number);
}

int main(int argc, char **argv)
{
    size_t count = argc > 1 ? (size_t)atol(argv[1]) : 1000, alive = argc > 2 ? (size_t)atol(argv[2]) : count;
    pthread_t *threads = calloc(count, sizeof *threads);
    pthread_attr_t attributes;
    uint64_t began_ns = monotonic_ns();
    target_begin();
    CHECK(threads && alive && alive <= count);
    CHECK(pthread_attr_init(&attributes) == 0 && pthread_attr_setstacksize(&attributes, STACK) == 0);
    rounds = rounds_per_ms(burst_most) * LIFE_US / 1000;
    if (alive == count)
        CHECK(pthread_rwlock_wrlock(&gate) == 0);
    for (size_t i = 0; i < count; i++) {
        if (i >= alive)
            join(threads, i - alive);
        CHECK(pthread_create(&threads[i], &attributes, live, (void *)i) == 0);
    }
    if (alive == count)
        CHECK(pthread_rwlock_unlock(&gate) == 0);
    for (size_t i = count - alive; i < count; i++)
        join(threads, i);
    CHECK(ran == count);
    printf("thread_burst: %zu threads in %.3f s, %.3f s of CPU time\n", count,
           (double)(monotonic_ns() - began_ns) / 1e9, (double)process_cpu_ns() / 1e9);
    free(threads);
    return 0;
}
