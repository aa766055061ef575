/* SPDX-License-Identifier: MIT
 *
 * The main thread ends first. The others continue, and the last of them ends the process.
 *
 *     zombie_leader exit|last|exec
 * exit: a thread calls exit(3). last: the last thread ends (status 0). exec: a thread calls exec, with the leader
 * dead. */
#include "target.h"

#include <pthread.h>

DEFINE_SPIN(after_the_leader, 0x301)

static const char *mode = "exit";

/* Returns true if the leader is a zombie. */
static bool leader_is_dead(void)
{
    char text[256] = "";
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", getpid(), getpid());
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    CHECK(fd >= 0);
    CHECK(read(fd, text, sizeof text - 1) > 0);
    close(fd);
    const char *end = strrchr(text, ')');
    return end && end[2] == 'Z';
}

static void *work(void *decides)
{
    uint64_t bound = monotonic_ns() + 20 * SECOND_NS;
    while (!leader_is_dead()) {
        CHECK(monotonic_ns() < bound);
        nap_ms(1);
    }
    spin_cpu_ms(after_the_leader, decides ? 150 : 50);
    if (!decides)
        return NULL;
    if (strcmp(mode, "exit") == 0)
        exit(31);
    if (strcmp(mode, "exec") == 0) {
        execl("/proc/thread-self/exe", "zombie_leader", "second", (char *)NULL);
        die("exec: %s", strerror(errno));
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    target_begin();
    if (argc > 1)
        mode = argv[1];
    if (strcmp(mode, "second") == 0)
        return 32;
    for (int i = 0; i < 3; i++)
        CHECK(pthread_create(&thread, NULL, work, i == 2 ? &thread : NULL) == 0);
    pthread_exit(NULL);
}
