/* SPDX-License-Identifier: MIT */
#include "common/base/cpus.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reads a decimal number at *TEXT, and moves *TEXT past it. Returns -1 if no number is there, or if it is too large. */
static int take_cpu(const char **text)
{
    int cpu = 0;
    const char *at = *text;
    for (; *at >= '0' && *at <= '9' && cpu < CPU_SETSIZE; at++)
        cpu = cpu * 10 + (*at - '0');
    if (at == *text || cpu >= CPU_SETSIZE)
        return -1;
    *text = at;
    return cpu;
}

bool cpus_parse(const char *text, cpu_set_t *cpus)
{
    CPU_ZERO(cpus);
    if (!text[strspn(text, "\n")])
        return true;
    for (;; text++) {
        int first = take_cpu(&text), last = first;
        if (first >= 0 && *text == '-') {
            text++;
            last = take_cpu(&text);
        }
        if (first < 0 || last < first)
            return false;
        for (int cpu = first; cpu <= last; cpu++)
            CPU_SET((size_t)cpu, cpus);
        if (*text != ',')
            return !text[strspn(text, "\n")];
    }
}

/* Removes from *CPUS the CPUs that the kernel lists in the file PATH, except those in *GIVEN. */
static void leave_out(const char *path, cpu_set_t *cpus, const cpu_set_t *given)
{
    char text[4096];
    cpu_set_t kept;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[length > 0 ? length : 0] = 0;
    if (!cpus_parse(text, &kept)) /* the file has "(null)" if no CPU is listed */
        return;
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &kept) && !CPU_ISSET(cpu, given))
            CPU_CLR(cpu, cpus);
}

int cpus_widen(const char *list)
{
    cpu_set_t given, wanted;
    if ((list && !strcmp(list, CPUS_INHERIT)) || sched_getaffinity(0, sizeof given, &given) < 0)
        return 0;
    if (!list)
        memset(&wanted, 0xff, sizeof wanted); /* the kernel reduces this to the CPUs of the cpuset */
    else if (!cpus_parse(list, &wanted))
        return -EINVAL;
    if (sched_setaffinity(0, sizeof wanted, &wanted) < 0)
        return list ? -EINVAL : 0;
    if (list || sched_getaffinity(0, sizeof wanted, &wanted) < 0)
        return 0;
    leave_out("/sys/devices/system/cpu/isolated", &wanted, &given);
    leave_out("/sys/devices/system/cpu/nohz_full", &wanted, &given);
    sched_setaffinity(0, sizeof wanted, &wanted);
    return 0;
}

static void *widen_this_thread(void *list)
{
    return (void *)(intptr_t)cpus_widen(list);
}

/* A mask belongs to a thread. Another thread tries it, because setting our own mask back would not undo everything: the
 * kernel remembers that a mask was set, and applies it when the cpuset grows. */
int cpus_check(const char *list)
{
    pthread_t thread;
    void *result = NULL;
    if (!list || pthread_create(&thread, NULL, widen_this_thread, (void *)(uintptr_t)list))
        return 0;
    pthread_join(thread, &result);
    return (int)(intptr_t)result;
}
