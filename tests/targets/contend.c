/* SPDX-License-Identifier: MIT
 *
 * Threads that work and contend for a lock, so that they often sleep and wake:
 *     contend [-t THREADS] [-s CPU_SECONDS] */
#include "target.h"

#include <pthread.h>

DEFINE_SPIN(spin_alone, 0x51)
DEFINE_SPIN(spin_locked, 0x52)

enum { MOST_THREADS = 64, ALONE_ROUNDS = 20000, LOCKED_ROUNDS = 10000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t cpu_ns_of_thread;

static void *work(void *unused)
{
    uint64_t begin = thread_cpu_ns();
    while (thread_cpu_ns() - begin < cpu_ns_of_thread) {
        spin_alone(ALONE_ROUNDS);
        CHECK(pthread_mutex_lock(&lock) == 0);
        spin_locked(LOCKED_ROUNDS);
        CHECK(pthread_mutex_unlock(&lock) == 0);
    }
    return unused;
}

int main(int argc, char **argv)
{
    double seconds = 1;
    int count = 4;
    for (int option; (option = getopt(argc, argv, "t:s:")) != -1;) {
        if (option == 't')
            count = atoi(optarg);
        else if (option == 's')
            seconds = atof(optarg);
        else
            return 2;
    }
    target_begin();
    CHECK(count > 0 && count <= MOST_THREADS);
    cpu_ns_of_thread = (uint64_t)(seconds * 1e9 / count);
    pthread_t threads[MOST_THREADS];
    for (int i = 0; i < count; i++)
        CHECK(pthread_create(&threads[i], NULL, work, NULL) == 0);
    for (int i = 0; i < count; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    return 0;
}
