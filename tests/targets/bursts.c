/* SPDX-License-Identifier: MIT
 *
 * A thread that runs for one millisecond in every ten, beside a main thread that only waits for it:
 *     bursts [-s SECONDS] [-o TRUTH]
 * TRUTH gets "work MICROSECONDS", the time in burst_work by the thread's own clock, and "total MICROSECONDS". */
#include "target.h"

#include <pthread.h>

DEFINE_SPIN(burst_work, 0x66)

static double seconds = 2;
static uint64_t worked;

static void *work(void *unused)
{
    uint64_t rounds = rounds_per_ms(burst_work);
    struct timespec next;
    (void)unused;
    clock_gettime(CLOCK_MONOTONIC, &next);
    for (int left = (int)(seconds * 100); left > 0; left--) {
        next.tv_nsec += 10000000;
        if (next.tv_nsec >= 1000000000) {
            next.tv_nsec -= 1000000000;
            next.tv_sec++;
        }
        /* no EINTR is allowed, because no signal is sent */
        CHECK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL) == 0);
        uint64_t before = thread_cpu_ns();
        burst_work(rounds);
        worked += thread_cpu_ns() - before;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const char *output = NULL;
    for (int option; (option = getopt(argc, argv, "s:o:")) != -1;) {
        if (option == 's')
            seconds = atof(optarg);
        else if (option == 'o')
            output = optarg;
        else
            return 2;
    }
    target_begin();
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, work, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    if (output) {
        FILE *file = fopen(output, "we");
        CHECK(file);
        fprintf(file, "work %llu\ntotal %llu\n", worked / 1000ull, process_cpu_ns() / 1000ull);
        CHECK(fclose(file) == 0);
    }
    return 0;
}
