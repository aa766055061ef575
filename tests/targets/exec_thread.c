/* SPDX-License-Identifier: MIT
 *
 * Executes itself from a thread that is not the leader, with other threads running, sleeping and just starting,
 * several times; then once more from the leader.
 *
 *     exec_thread [GENERATIONS] */
#include "target.h"

#include <dirent.h>
#include <pthread.h>

DEFINE_SPIN(before_thread_exec, 0x201)
DEFINE_SPIN(after_thread_exec, 0x202)

static char left[16], pid_text[16];

static void *run_for_ever(void *unused)
{
    for (;;)
        before_thread_exec(100000);
    return unused;
}

static void *sleep_for_ever(void *unused)
{
    for (;;)
        pause();
    return unused;
}

static void *nap(void *unused)
{
    nap_ms(1);
    return unused;
}

static void *exec_self(void *unused)
{
    (void)unused;
    spin_cpu_ms(before_thread_exec, 30);
    execl("/proc/self/exe", "exec_thread", left, pid_text, (char *)NULL);
    die("exec: %s", strerror(errno));
}

static int thread_count(void)
{
    DIR *directory = opendir("/proc/self/task");
    int count = 0;
    CHECK(directory);
    for (struct dirent *entry; (entry = readdir(directory));)
        count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}

int main(int argc, char **argv)
{
    int generations = argc > 1 ? atoi(argv[1]) : 4;
    pthread_t thread;
    target_begin();
    CHECK(argc < 3 || atoi(argv[2]) == getpid()); /* exec keeps the leader's pid */
    CHECK(getpid() == gettid() && thread_count() == 1);
    spin_cpu_ms(after_thread_exec, 30);
    if (generations == 0) {
        puts("exec_thread: done");
        return 7;
    }
    snprintf(left, sizeof left, "%d", generations - 1);
    snprintf(pid_text, sizeof pid_text, "%d", getpid());
    CHECK(pthread_create(&thread, NULL, run_for_ever, NULL) == 0);
    CHECK(pthread_create(&thread, NULL, sleep_for_ever, NULL) == 0);
    if (generations == 1)
        exec_self(NULL);
    CHECK(pthread_create(&thread, NULL, exec_self, NULL) == 0);
    for (;;) {
        pthread_t brief;
        if (pthread_create(&brief, NULL, nap, NULL) == 0)
            pthread_join(brief, NULL);
    }
}
