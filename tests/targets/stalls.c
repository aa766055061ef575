/* SPDX-License-Identifier: MIT
 *
 * Runs beside a test, and records when the machine did not run any thread.
 *
 *     stalls LOG
 * On each CPU, a thread sleeps for ten milliseconds at a time. Each time that it gets its CPU back much too late,
 * LOG gets a line "AT LATE" in milliseconds: the monotonic time, and the delay. Runs until its parent dies or ends
 * it. */
#include "target.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>

enum { NAP_MS = 10, LATE_MS = 10 };

static int log_fd;

static void *watch(void *cpu)
{
    cpu_set_t own;
    CPU_ZERO(&own);
    CPU_SET((size_t)(uintptr_t)cpu, &own);
    if (sched_setaffinity(0, sizeof own, &own) != 0)
        return NULL;
    for (uint64_t before = monotonic_ns();;) {
        nap_ms(NAP_MS);
        uint64_t now = monotonic_ns(), late_ms = (now - before) / MILLISECOND_NS - NAP_MS;
        before = now;
        if (late_ms >= LATE_MS)
            dprintf(log_fd, "%llu %llu\n", now / MILLISECOND_NS + 0ull, late_ms + 0ull);
    }
}

int main(int argc, char **argv)
{
    cpu_set_t allowed;
    pthread_t thread;
    CHECK(argc == 2);
    CHECK(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0);
    log_fd = open(argv[1], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    CHECK(log_fd >= 0);
    CHECK(sched_getaffinity(0, sizeof allowed, &allowed) == 0);
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &allowed))
            CHECK(pthread_create(&thread, NULL, watch, (void *)(uintptr_t)cpu) == 0);
    for (;;)
        pause();
}
