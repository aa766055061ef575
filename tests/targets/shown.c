/* SPDX-License-Identifier: MIT
 *
 * A target for the live view:
 *
 *     shown [-r READY] [-s SECONDS] [-e STATUS]
 * A thread called hot spends its time in spin_hot, called by middle and outer. A thread called cool spends a tenth
 * as much in spin_cool, and then waits in nanosleep. After SECONDS of wall time it ends with STATUS. */
#include "target.h"

#include <pthread.h>
#include <sys/prctl.h>

DEFINE_SPIN(spin_hot, 0x5107)
DEFINE_SPIN(spin_cool, 0x5108)

enum { ROUNDS = 200000, COOL_ROUNDS = 12 * ROUNDS }; /* cool rounds take milliseconds, so that ticks hit them */

static uint64_t end_ns;

__attribute__((noinline, noclone)) static uint64_t middle(void)
{
    uint64_t result = spin_hot(ROUNDS);
    __asm__ volatile("" ::: "memory"); /* so that the call is not a jump */
    return result + 1;
}

__attribute__((noinline, noclone)) static uint64_t outer(void)
{
    uint64_t result = middle();
    __asm__ volatile("" ::: "memory");
    return result + 1;
}

static void *be_cool(void *unused)
{
    (void)unused;
    prctl(PR_SET_NAME, "cool");
    while (monotonic_ns() < end_ns) {
        spin_cool(COOL_ROUNDS);
        nanosleep(&(struct timespec){0, 50 * MILLISECOND_NS}, NULL);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const char *ready = NULL;
    unsigned seconds = TARGET_LIFE_SECONDS;
    int status = 0;
    pthread_t cool;
    for (int option; (option = getopt(argc, argv, "r:s:e:")) != -1;) {
        if (option == 'r')
            ready = optarg;
        else if (option == 's')
            seconds = (unsigned)atoi(optarg);
        else if (option == 'e')
            status = atoi(optarg);
        else
            die("shown [-r READY] [-s SECONDS] [-e STATUS]");
    }
    end_ns = monotonic_ns() + seconds * SECOND_NS;
    if (pthread_create(&cool, NULL, be_cool, NULL))
        die("no thread");
    prctl(PR_SET_NAME, "hot");
    announce(ready);
    printf("shown prints this\n");
    fflush(stdout);
    while (monotonic_ns() < end_ns)
        outer();
    pthread_join(cool, NULL);
    return status;
}
