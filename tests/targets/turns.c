/* SPDX-License-Identifier: MIT
 *
 * Threads that compete for one CPU: some always compute, the others compute between naps. Measures how long each thread
 * was in each of these functions, in microseconds, running or not:
 *     turns [-s SECONDS] [-t THREADS] [-a THREADS_THAT_ALWAYS_COMPUTE] [-w WORK_US] [-n NAP_US] -o RESULT */
#include "target.h"

#include <pthread.h>
#include <sched.h>

#define KEPT __attribute__((noinline, noclone)) static

DEFINE_SPIN(spin_always, 0x701)
DEFINE_SPIN(spin_between, 0x702)

enum { MOST_THREADS = 1000, ROUNDS = 20000, STACK_BYTES = 65536 };

static uint64_t end_ns, work_ns = 1000000;
static unsigned nap_us = 4000;
static _Atomic uint64_t napped_ns, worked_ns, always_ns;
volatile int side_effect;

KEPT void nap_between_work(void)
{
    uint64_t began = monotonic_ns();
    CHECK(usleep(nap_us) == 0);
    napped_ns += monotonic_ns() - began;
}

KEPT void work_between_naps(void)
{
    uint64_t began = monotonic_ns(), cpu = thread_cpu_ns();
    while (thread_cpu_ns() - cpu < work_ns)
        spin_between(ROUNDS);
    worked_ns += monotonic_ns() - began;
}

KEPT void compute_always(void)
{
    uint64_t began = monotonic_ns();
    while (monotonic_ns() < end_ns)
        spin_always(ROUNDS);
    always_ns += monotonic_ns() - began;
}

static void *work_and_nap(void *unused)
{
    while (monotonic_ns() < end_ns) {
        nap_between_work();
        work_between_naps();
    }
    side_effect++;
    return unused;
}

static void *compute(void *unused)
{
    compute_always();
    side_effect++;
    return unused;
}

static void stay_on_one_cpu(void)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((unsigned)sched_getcpu(), &one);
    CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
}

int main(int argc, char **argv)
{
    static pthread_t threads[MOST_THREADS];
    int count = 4, always = 1, option;
    const char *result = NULL;
    double seconds = 1;
    char text[256];
    pthread_attr_t attributes;
    target_begin();
    while ((option = getopt(argc, argv, "s:t:a:w:n:o:")) != -1) {
        switch (option) {
        case 's':
            seconds = atof(optarg);
            break;
        case 't':
            count = atoi(optarg);
            break;
        case 'a':
            always = atoi(optarg);
            break;
        case 'w':
            work_ns = (uint64_t)atoi(optarg) * 1000;
            break;
        case 'n':
            nap_us = (unsigned)atoi(optarg);
            break;
        case 'o':
            result = optarg;
            break;
        default:
            return 2;
        }
    }
    CHECK(result && count >= 0 && always >= 0 && count + always <= MOST_THREADS);
    stay_on_one_cpu();
    end_ns = monotonic_ns() + (uint64_t)(seconds * 1e9);
    CHECK(pthread_attr_init(&attributes) == 0 && pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0);
    for (int i = 0; i < count + always; i++)
        CHECK(pthread_create(&threads[i], &attributes, i < always ? compute : work_and_nap, NULL) == 0);
    for (int i = 0; i < count + always; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    snprintf(text, sizeof text, "nap %lu\nwork %lu\nalways %lu\n", (unsigned long)(napped_ns / 1000),
             (unsigned long)(worked_ns / 1000), (unsigned long)(always_ns / 1000));
    write_file(result, text);
    return 0;
}
