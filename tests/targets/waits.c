/* SPDX-License-Identifier: MIT
 *
 * Threads that wait, each in a function of its own, and one that works between naps; with their true times, in
 * microseconds.
 *
 *     waits [-s SECONDS] [-r READY] [-o RESULT]
 * Lines of RESULT: life (approximate, of each of the five threads), nap_between_work, work_between_naps (its CPU
 * time). */
#include "target.h"

#include <alloca.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>

#define KEPT __attribute__((noinline, noclone)) static

DEFINE_SPIN(work_between_naps, 0xc01)

enum { WORK_MS = 5, NAP_MS = 15, POLL_MS = 20 };

static uint64_t end_ns, napped_ns, worked_ns;
static int never[2];
static sem_t enough;
volatile int side_effect;

KEPT void wait_in_poll(void)
{
    CHECK(poll(NULL, 0, POLL_MS) == 0);
    side_effect++;
}

/* Only the frame pointer leads to its frame. */
KEPT void wait_in_read(int size)
{
    char *some = alloca((size_t)size);
    CHECK(read(never[0], some, 1) == 1);
    side_effect += some[0];
}

KEPT void wait_in_semaphore(void)
{
    CHECK(sem_wait(&enough) == 0);
    side_effect++;
}

KEPT void nap_between_work(void)
{
    nap_ms(NAP_MS);
    napped_ns += NAP_MS * MILLISECOND_NS; /* without the time until it had a CPU again */
}

static void *poll_often(void *unused)
{
    while (monotonic_ns() < end_ns)
        wait_in_poll();
    return unused;
}

static void *read_once(void *unused)
{
    wait_in_read(side_effect + 100);
    return unused;
}

static void *wait_once(void *unused)
{
    wait_in_semaphore();
    return unused;
}

static void *work_and_nap(void *unused)
{
    while (monotonic_ns() < end_ns) {
        spin_cpu_ms(work_between_naps, WORK_MS);
        nap_between_work();
    }
    worked_ns = thread_cpu_ns();
    return unused;
}

static void tell(const char *path, uint64_t life_ns)
{
    char text[256];
    snprintf(text, sizeof text, "life %lu\nnap_between_work %lu\nwork_between_naps %lu\n",
             (unsigned long)(life_ns / 1000), (unsigned long)(napped_ns / 1000), (unsigned long)(worked_ns / 1000));
    write_file(path, text);
}

int main(int argc, char **argv)
{
    static void *(*const bodies[])(void *) = {work_and_nap, poll_often, read_once, wait_once};
    enum { BODIES = sizeof bodies / sizeof *bodies };
    pthread_t threads[BODIES];
    const char *ready = NULL, *result = NULL;
    uint64_t began = monotonic_ns();
    double seconds = 1;
    target_begin();
    for (int option; (option = getopt(argc, argv, "s:r:o:")) != -1;) {
        if (option == 's')
            seconds = atof(optarg);
        else if (option == 'r')
            ready = optarg;
        else if (option == 'o')
            result = optarg;
        else
            return 2;
    }
    end_ns = began + (uint64_t)(seconds * 1e9);
    CHECK(pipe2(never, O_CLOEXEC) == 0 && sem_init(&enough, 0, 0) == 0);
    for (int i = 0; i < BODIES; i++)
        CHECK(pthread_create(&threads[i], NULL, bodies[i], NULL) == 0);
    announce(ready);
    CHECK(pthread_join(threads[0], NULL) == 0);
    CHECK(write(never[1], "x", 1) == 1 && sem_post(&enough) == 0);
    for (int i = 1; i < BODIES; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    if (result)
        tell(result, monotonic_ns() - began);
    return 0;
}
