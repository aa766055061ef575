/* SPDX-License-Identifier: MIT
 *
 * Three functions take half, three tenths and a fifth of the CPU time, in one or several threads. Each thread's own
 * clock measures the true times:
 *
 *     mix [-t THREADS] [-s CPU_SECONDS] [-p PERIOD_US] [-m ROUNDS] [-o TRUTH]
 * With -m, a thread binds itself to the next CPU that it may use, after this many rounds through the functions. TRUTH
 * gets lines "NAME MICROSECONDS", with "total" for the whole process as the last one. */
#include "target.h"

#include <pthread.h>
#include <sched.h>

DEFINE_SPIN(spin_half, 0x11)
DEFINE_SPIN(spin_three_tenths, 0x22)
DEFINE_SPIN(spin_fifth, 0x33)

static uint64_t rounds_of_tenth;
static uint64_t cpu_ns_of_thread;
static unsigned rounds_between_moves; /* 0: no moves */
static cpu_set_t allowed;
static uint64_t truth[3];
static pthread_mutex_t truth_lock = PTHREAD_MUTEX_INITIALIZER;

static void move_on(unsigned rounds)
{
    cpu_set_t there;
    size_t cpu = (size_t)sched_getcpu();
    if (!rounds_between_moves || rounds % rounds_between_moves)
        return;
    do
        cpu = (cpu + 1) % CPU_SETSIZE;
    while (!CPU_ISSET(cpu, &allowed));
    CPU_ZERO(&there);
    CPU_SET(cpu, &there);
    CHECK(sched_setaffinity(0, sizeof there, &there) == 0);
}

static void *work(void *unused)
{
    uint64_t own[3] = {0};
    uint64_t begin = thread_cpu_ns(), at = begin;
    unsigned rounds = 0;
    (void)unused;
    while (at - begin < cpu_ns_of_thread) {
        spin_half(5 * rounds_of_tenth);
        uint64_t after_half = thread_cpu_ns();
        spin_three_tenths(3 * rounds_of_tenth);
        uint64_t after_three_tenths = thread_cpu_ns();
        spin_fifth(2 * rounds_of_tenth);
        uint64_t after_fifth = thread_cpu_ns();
        own[0] += after_half - at;
        own[1] += after_three_tenths - after_half;
        own[2] += after_fifth - after_three_tenths;
        at = after_fifth;
        move_on(++rounds);
    }
    pthread_mutex_lock(&truth_lock);
    for (int i = 0; i < 3; i++)
        truth[i] += own[i];
    pthread_mutex_unlock(&truth_lock);
    return NULL;
}

int main(int argc, char **argv)
{
    unsigned threads = 1;
    double seconds = 1;
    uint64_t period_us = 7300;
    const char *output = NULL;
    for (int option; (option = getopt(argc, argv, "t:s:p:m:o:")) != -1;) {
        switch (option) {
        case 't':
            threads = (unsigned)atoi(optarg);
            break;
        case 's':
            seconds = atof(optarg);
            break;
        case 'p':
            period_us = strtoull(optarg, NULL, 10);
            break;
        case 'm':
            rounds_between_moves = (unsigned)atoi(optarg);
            break;
        case 'o':
            output = optarg;
            break;
        default:
            return 2;
        }
    }
    target_begin();
    CHECK(sched_getaffinity(0, sizeof allowed, &allowed) == 0);
    CHECK(threads >= 1 && threads <= 64);
    rounds_of_tenth = rounds_per_ms(spin_half) * period_us / 10000 + 1;
    cpu_ns_of_thread = (uint64_t)(seconds * 1e9) / threads;
    if (threads == 1) {
        work(NULL);
    } else {
        pthread_t thread[64];
        for (unsigned i = 0; i < threads; i++)
            CHECK(pthread_create(&thread[i], NULL, work, NULL) == 0);
        for (unsigned i = 0; i < threads; i++)
            CHECK(pthread_join(thread[i], NULL) == 0);
    }
    if (output) {
        FILE *file = fopen(output, "we");
        CHECK(file);
        fprintf(file, "spin_half %llu\nspin_three_tenths %llu\nspin_fifth %llu\n", truth[0] / 1000ull,
                truth[1] / 1000ull, truth[2] / 1000ull);
        fprintf(file, "total %llu\n", process_cpu_ns() / 1000ull);
        CHECK(fclose(file) == 0);
    }
    return 0;
}
