/* SPDX-License-Identifier: MIT
 *
 * For a profiler with the option not to follow: its children must not be traced, the process and its threads must be.
 *     follow_not [traced]
 * By default, the process itself is not checked; with "traced", it must be traced. */
#include "target.h"

#include <pthread.h>

DEFINE_SPIN(in_followed_parent, 0x801)
DEFINE_SPIN(in_followed_thread, 0x802)
DEFINE_SPIN(in_child_not_followed, 0x803)

static bool traced;

static void *work(void *unused)
{
    spin_cpu_ms(in_followed_thread, 100);
    CHECK(!traced || tracer_pid() != 0);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    target_begin();
    traced = argc > 1 && strcmp(argv[1], "traced") == 0;
    if (argc > 1 && strcmp(argv[1], "child") == 0) { /* after exec */
        spin_cpu_ms(in_child_not_followed, 50);
        CHECK(tracer_pid() == 0);
        return 51;
    }
    pid_t forked = fork();
    CHECK(forked >= 0);
    if (forked == 0) {
        spin_cpu_ms(in_child_not_followed, 50);
        _exit(tracer_pid() == 0 ? 50 : 1);
    }
    pid_t vforked = vfork();
    CHECK(vforked >= 0);
    if (vforked == 0) {
        execl("/proc/self/exe", "follow_not", "child", (char *)NULL);
        _exit(1);
    }
    CHECK(pthread_create(&thread, NULL, work, NULL) == 0);
    spin_cpu_ms(in_followed_parent, 100);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK_EXITED(forked, 50);
    CHECK_EXITED(vforked, 51);
    return 0;
}
