/* SPDX-License-Identifier: MIT
 *
 * noisy THREADS SIGNALS: each thread sends ignored signals to itself, one after another, so that a tracer of any speed
 * always has events to answer. Ends when a thread has sent SIGNALS. Prints the fewest that a thread has sent. */
#include "target.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

enum { MOST_THREADS = 64 };

static atomic_int sent[MOST_THREADS];
static atomic_bool over;
static int wanted;

static void *send_signals(void *argument)
{
    atomic_int *count = argument;
    while (!atomic_load(&over)) {
        CHECK(raise(SIGURG) == 0);
        if (atomic_fetch_add(count, 1) + 1 == wanted)
            atomic_store(&over, true);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t ids[MOST_THREADS];
    target_begin();
    CHECK(argc == 3);
    int count = atoi(argv[1]), least;
    least = wanted = atoi(argv[2]);
    CHECK(count > 0 && count <= MOST_THREADS && wanted > 0);
    for (int i = 0; i < count; i++)
        CHECK(pthread_create(&ids[i], NULL, send_signals, &sent[i]) == 0);
    for (int i = 0; i < count; i++)
        CHECK(pthread_join(ids[i], NULL) == 0);
    for (int i = 0; i < count; i++)
        least = sent[i] < least ? sent[i] : least;
    printf("%d\n", least);
    return 0;
}
