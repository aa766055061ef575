/* SPDX-License-Identifier: MIT
 *
 * Executes itself again and again, from its first thread and from others, while other threads work:
 *
 *     exec_on READY END
 * READY gets its pid. When the file END exists, it ends with status 34. */
#include "target.h"

#include <pthread.h>

DEFINE_SPIN(between_execs, 0xe01)

enum { BESIDE = 3, ROUNDS = 20000 };

static char **arguments;

static void *work(void *unused)
{
    for (;;) {
        between_execs(ROUNDS);
        nap_ms(1);
    }
    return unused;
}

static void *exec_again(void *unused)
{
    between_execs(ROUNDS);
    execv("/proc/self/exe", arguments);
    die("exec: %s", strerror(errno));
    return unused;
}

int main(int argc, char **argv)
{
    char times[24];
    pthread_t thread;
    CHECK(argc >= 3);
    if (argc == 3)
        announce(argv[1]);
    if (access(argv[2], F_OK) == 0)
        return 34;
    target_begin();
    long before = argc > 3 ? atol(argv[3]) : 0;
    snprintf(times, sizeof times, "%ld", before + 1);
    arguments = (char *[]){argv[0], argv[1], argv[2], times, NULL};
    for (int i = 0; i < BESIDE; i++)
        CHECK(pthread_create(&thread, NULL, work, NULL) == 0);
    if (before % 2)
        exec_again(NULL);
    CHECK(pthread_create(&thread, NULL, exec_again, NULL) == 0);
    work(NULL);
}
