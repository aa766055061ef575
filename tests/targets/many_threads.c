/* SPDX-License-Identifier: MIT
 *
 * Many concurrent threads, which end in any order, and synchronize in between:
 *
 *     many_threads [THREADS] [CPU_MS_EACH]
 * Then it creates waves of short threads, and calls exit_group while many exist. Ends with status 40. */
#include "target.h"

#include <pthread.h>
#include <stdatomic.h>

DEFINE_SPIN(crowd_work, 0x401)

static pthread_barrier_t meeting;
static unsigned milliseconds = 3;
static atomic_uint finished;

static void *work(void *number)
{
    uint64_t expected = crowd_work(1000);
    pthread_barrier_wait(&meeting);
    spin_cpu_ms(crowd_work, milliseconds);
    CHECK(crowd_work(1000) == expected);
    nap_ms((unsigned)((uintptr_t)number * 7919 % 50));
    finished++;
    return number;
}

static void *wait_for_end(void *unused)
{
    pthread_barrier_wait(&meeting);
    for (;;)
        pause();
    return unused;
}

int main(int argc, char **argv)
{
    unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : 200;
    pthread_attr_t attributes;
    target_begin();
    if (argc > 2)
        milliseconds = (unsigned)atoi(argv[2]);
    pthread_t *threads = calloc(count, sizeof *threads);
    CHECK(threads);
    CHECK(pthread_attr_init(&attributes) == 0 && pthread_attr_setstacksize(&attributes, 1 << 17) == 0);

    CHECK(pthread_barrier_init(&meeting, NULL, count) == 0);
    for (unsigned i = 0; i < count; i++)
        CHECK(pthread_create(&threads[i], &attributes, work, (void *)(uintptr_t)i) == 0);
    for (unsigned i = count; i-- > 0;) {
        void *number;
        CHECK(pthread_join(threads[i], &number) == 0 && number == (void *)(uintptr_t)i);
    }
    CHECK(finished == count);

    CHECK(pthread_barrier_init(&meeting, NULL, 1) == 0);
    milliseconds = 0;
    for (unsigned i = 0; i < count; i++) {
        void *number;
        CHECK(pthread_create(&threads[0], &attributes, work, (void *)(uintptr_t)0) == 0);
        CHECK(pthread_join(threads[0], &number) == 0 && number == NULL);
    }

    CHECK(pthread_barrier_init(&meeting, NULL, count + 1) == 0);
    for (unsigned i = 0; i < count; i++)
        CHECK(pthread_create(&threads[i], &attributes, wait_for_end, NULL) == 0);
    pthread_barrier_wait(&meeting);
    return 40;
}
