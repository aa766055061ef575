/* SPDX-License-Identifier: MIT */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

uint64_t clock_ns(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

uint64_t now_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

struct timespec to_timespec(uint64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S)};
}

void sleep_until(uint64_t ns)
{
    struct timespec t = to_timespec(ns);

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) {
    }
}

void die(const char *what)
{
    fprintf(stderr, "bench: %s: %s\n", what, strerror(errno));
    exit(1);
}

long parse_long(const char *text, const char *what, long low, long high)
{
    char *end;
    long value;

    errno = 0;
    value = strtol(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || value < low || value > high) {
        fprintf(stderr, "bench: %s: \"%s\" is not a number from %ld to %ld\n", what, text, low, high);
        exit(2);
    }
    return value;
}

static const cpu_set_t *initial_cpus(void)
{
    static cpu_set_t set;
    static bool known;

    if (!known) {
        if (sched_getaffinity(getpid(), sizeof set, &set) != 0)
            die("sched_getaffinity");
        known = true;
    }
    return &set;
}

void pin(pid_t tid, int cpu)
{
    cpu_set_t set = *initial_cpus();

    if (cpu >= 0) {
        CPU_ZERO(&set);
        CPU_SET((size_t)cpu, &set);
    }
    sched_setaffinity(tid, sizeof set, &set);
}

void pin_but(pid_t tid, int cpu)
{
    cpu_set_t set = *initial_cpus();

    if (cpu >= 0 && CPU_COUNT(&set) > 1)
        CPU_CLR((size_t)cpu, &set);
    sched_setaffinity(tid, sizeof set, &set);
}

/* The kernel's struct sched_attr; Debian 12's libc does not have it. */
struct slice_attr {
    uint32_t size;
    uint32_t policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime;
    uint64_t deadline;
    uint64_t period;
};

bool set_slice(uint64_t slice_ns)
{
    struct slice_attr attr = {.size = sizeof attr, .policy = SCHED_OTHER, .runtime = slice_ns};

    return slice_ns == 0 || syscall(SYS_sched_setattr, 0, &attr, 0u) == 0;
}

int open_stat(pid_t pid, pid_t tid)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", (int)pid, (int)tid);
    return open(path, O_RDONLY | O_CLOEXEC);
}

int read_cpu(int stat_fd)
{
    char text[1024];
    ssize_t length = pread(stat_fd, text, sizeof text - 1, 0);
    char *at;

    if (length <= 0)
        return -1;
    text[length] = '\0';
    at = strrchr(text, ')');
    for (int field = 2; at != NULL && field < 39; field++)
        at = strchr(at + 1, ' ');
    return at == NULL ? -1 : atoi(at);
}

void samples_add(struct samples *s, uint64_t value)
{
    if (s->count == s->room) {
        s->room = s->room == 0 ? 4096 : s->room * 2;
        s->value = realloc(s->value, s->room * sizeof *s->value);
        if (s->value == NULL)
            die("realloc");
    }
    s->value[s->count++] = value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a;
    uint32_t y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

uint32_t samples_percentile(struct samples *s, unsigned percent)
{
    if (s->count == 0)
        return 0;
    qsort(s->value, s->count, sizeof *s->value, compare);
    return s->value[(s->count - 1) * percent / 100];
}
