/* SPDX-License-Identifier: MIT
 *
 * Works, and makes a system call every US microseconds, in one or several threads. It measures the share of time in
 * these calls:
 *
 *     often [-k getppid|clock|read|write|wake|map] [-u US] [-t THREADS] [-s CPU_SECONDS] [-o TRUTH]
 * TRUTH gets lines "NAME NUMBER": the_call in millionths of the time, and the nanoseconds of one call. */
#include "target.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>

DEFINE_SPIN(user_work, 0xc01)

static int zeros, nowhere;
static int nobody_waits;
static uint64_t rounds_between, cpu_ns_of_thread;

static void call_getppid(void)
{
    syscall(SYS_getppid);
}

static void call_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
}

static void call_read(void)
{
    char byte;
    CHECK(read(zeros, &byte, 1) == 1);
}

static void call_write(void)
{
    CHECK(write(nowhere, "", 1) == 1);
}

static void call_wake(void)
{
    syscall(SYS_futex, &nobody_waits, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void call_map(void)
{
    void *place = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(place != MAP_FAILED && munmap(place, 4096) == 0);
}

static const struct {
    const char *name;
    void (*call)(void);
} kinds[] = {
    {"getppid", call_getppid}, {"clock", call_clock}, {"read", call_read},
    {"write", call_write},     {"wake", call_wake},   {"map", call_map},
};

static void (*chosen)(void) = call_getppid;

/* Samples show this frame. The call must not be a tail call, which would hide it. */
__attribute__((noinline, noclone)) static void the_call(void)
{
    chosen();
    __asm__ volatile("");
}

/* Measures some work with CALLS and without. Stops and other programs only add time, so the smallest of many results
 * is used. */
static uint64_t least_ns(bool calls)
{
    uint64_t least = UINT64_MAX, turns = 2000000 / (rounds_between + 1) + 1;
    for (int i = 0; i < 50; i++) {
        uint64_t before = thread_cpu_ns();
        for (uint64_t turn = 0; turn < turns; turn++) {
            user_work(rounds_between);
            if (calls)
                the_call();
        }
        uint64_t took = (thread_cpu_ns() - before) * 1000 / turns; /* ps */
        least = took < least ? took : least;
    }
    return least;
}

static void *work(void *unused)
{
    uint64_t end = thread_cpu_ns() + cpu_ns_of_thread;
    while (thread_cpu_ns() < end)
        for (int i = 0; i < 100; i++) {
            user_work(rounds_between);
            the_call();
        }
    return unused;
}

static void choose(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].name, name)) {
            chosen = kinds[i].call;
            return;
        }
    die("no such kind of call: %s", name);
}

static void tell(const char *path)
{
    char text[128];
    uint64_t with = least_ns(true), without = least_ns(false), call = with > without ? with - without : 0;
    snprintf(text, sizeof text, "the_call %lu\nnanoseconds %lu\n", call * 1000000 / with, call / 1000);
    write_file(path, text);
}

int main(int argc, char **argv)
{
    const char *truth = NULL;
    double microseconds = 10, seconds = 1;
    int option, threads = 1;
    target_begin();
    while ((option = getopt(argc, argv, "k:u:t:s:o:")) != -1)
        switch (option) {
        case 'k':
            choose(optarg);
            break;
        case 'u':
            microseconds = atof(optarg);
            break;
        case 't':
            threads = atoi(optarg);
            break;
        case 's':
            seconds = atof(optarg);
            break;
        case 'o':
            truth = optarg;
            break;
        default:
            die("unknown option");
        }
    CHECK((zeros = open("/dev/zero", O_RDONLY | O_CLOEXEC)) >= 0 &&
          (nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)) >= 0);
    CHECK(threads > 0 && threads <= 64);
    rounds_between = (uint64_t)((double)rounds_per_ms(user_work) * microseconds / 1000);
    cpu_ns_of_thread = (uint64_t)(seconds * 1e9);
    pthread_t others[64];
    for (int i = 1; i < threads; i++)
        CHECK(pthread_create(&others[i], NULL, work, NULL) == 0);
    work(NULL);
    for (int i = 1; i < threads; i++)
        CHECK(pthread_join(others[i], NULL) == 0);
    if (truth)
        tell(truth);
    return 0;
}
