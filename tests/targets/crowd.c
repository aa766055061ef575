/* SPDX-License-Identifier: MIT
 *
 * Many threads. Each one works for a moment, counts that, and sleeps for a moment:
 *     crowd THREADS COUNTS END [NAP_MS]
 * The file COUNTS is created when all threads run. It has eight bytes for each. They continue until the file END
 * exists. */
#include "target.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

DEFINE_SPIN(crowd_work, 0x9c1)

enum { MOST_THREADS = 500, STACK = 64 << 10, ROUNDS = 20000 };

static _Atomic uint64_t *counts;
static atomic_bool over;
static unsigned nap = 10;

static void *work(void *number)
{
    _Atomic uint64_t *count = &counts[(uintptr_t)number];
    uint64_t expected = crowd_work(ROUNDS);
    while (!over) {
        CHECK(crowd_work(ROUNDS) == expected);
        ++*count;
        nap_ms(nap);
    }
    return NULL;
}

static bool all_run(unsigned threads)
{
    unsigned i = 0;
    while (i < threads && counts[i])
        i++;
    return i == threads;
}

int main(int argc, char **argv)
{
    pthread_t threads[MOST_THREADS];
    pthread_attr_t attributes;
    char path[4096];
    target_begin();
    unsigned count = argc >= 4 ? (unsigned)atoi(argv[1]) : 0;
    CHECK(count > 0 && count <= MOST_THREADS);
    nap = argc > 4 ? (unsigned)atoi(argv[4]) : nap;
    CHECK((size_t)snprintf(path, sizeof path, "%s.new", argv[2]) < sizeof path);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    CHECK(fd >= 0 && ftruncate(fd, count * (off_t)sizeof *counts) == 0);
    counts = mmap(NULL, count * sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(counts != MAP_FAILED);
    CHECK(pthread_attr_init(&attributes) == 0 && pthread_attr_setstacksize(&attributes, STACK) == 0);
    for (unsigned i = 0; i < count; i++)
        CHECK(pthread_create(&threads[i], &attributes, work, (void *)(uintptr_t)i) == 0);
    while (!all_run(count))
        nap_ms(5);
    CHECK(rename(path, argv[2]) == 0);
    while (access(argv[3], F_OK) != 0)
        nap_ms(20);
    over = true;
    for (unsigned i = 0; i < count; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    return 0;
}
