/* SPDX-License-Identifier: MIT
 *
 * Several threads create and join threads as fast as possible, some of them detached. Each must have run once.
 *
 *     thread_churn [SECONDS] */
#include "target.h"

#include <pthread.h>
#include <stdatomic.h>

DEFINE_SPIN(churn_work, 0x7c1)

enum { MAKERS = 3, STACK = 64 << 10, DETACHED_EVERY = 8, MOST_DETACHED = 64 };

static uint64_t end_ns;
static atomic_ulong made, ran, detached_made, detached_ran;

static void *live(void *number)
{
    churn_work((uint64_t)(uintptr_t)number % 5 * 1000);
    atomic_fetch_add(&ran, 1);
    return number;
}

static void *live_detached(void *number)
{
    live(number);
    atomic_fetch_add(&detached_ran, 1);
    return NULL;
}

/* Detached at creation: pthread_detach may free another thread's stack. If its caller is stopped until the thread
 * has ended and a new one has its stack, the C library takes the new thread's end for the old one's (glibc 19951). */
static void set_detached(pthread_attr_t *attributes, bool detached)
{
    CHECK(pthread_attr_setdetachstate(attributes, detached ? PTHREAD_CREATE_DETACHED : PTHREAD_CREATE_JOINABLE) == 0);
}

static void make_one(pthread_attr_t *attributes, uintptr_t number)
{
    pthread_t thread;
    void *result;
    bool detached = number % DETACHED_EVERY == 0 && detached_made - detached_ran < MOST_DETACHED;
    set_detached(attributes, detached);
    if (detached) {
        atomic_fetch_add(&detached_made, 1);
        CHECK(pthread_create(&thread, attributes, live_detached, (void *)number) == 0);
    } else {
        CHECK(pthread_create(&thread, attributes, live, (void *)number) == 0);
        CHECK(pthread_join(thread, &result) == 0 && result == (void *)number);
    }
    atomic_fetch_add(&made, 1);
}

static void *make(void *unused)
{
    pthread_attr_t attributes;
    CHECK(pthread_attr_init(&attributes) == 0 && pthread_attr_setstacksize(&attributes, STACK) == 0);
    for (uintptr_t number = 0; monotonic_ns() < end_ns; number++)
        make_one(&attributes, number);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t makers[MAKERS];
    target_begin();
    end_ns = monotonic_ns() + (uint64_t)((argc > 1 ? atof(argv[1]) : 1) * 1e9);
    for (int i = 0; i < MAKERS; i++)
        CHECK(pthread_create(&makers[i], NULL, make, NULL) == 0);
    for (int i = 0; i < MAKERS; i++)
        CHECK(pthread_join(makers[i], NULL) == 0);
    for (uint64_t last_ns = monotonic_ns() + 20 * SECOND_NS; detached_ran != detached_made; nap_ms(1))
        CHECK(monotonic_ns() < last_ns);
    CHECK(ran == made);
    printf("thread_churn: %lu threads\n", made);
    return 0;
}
