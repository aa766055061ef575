/* SPDX-License-Identifier: MIT
 *
 * Makes a short system call after each few microseconds of its own work:
 *     short_calls [-k getppid|clock|read|futex|write|map] [-u MICROSECONDS] [-s CPU_SECONDS] [-o TRUTH]
 * TRUTH gets lines "NAME MICROSECONDS" of CPU time: "calls", as many as there were by what one takes, "total". */
#include "target.h"

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>

DEFINE_SPIN(spin_user, 0x4c)

static int zero, null;

static void call_getppid(void)
{
    CHECK(syscall(SYS_getppid) >= 0);
}

static void call_clock(void)
{
    struct timespec now;
    CHECK(syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &now) == 0);
}

static void call_read(void)
{
    char byte;
    CHECK(read(zero, &byte, 1) == 1);
}

static void call_futex(void)
{
    static uint32_t word;
    CHECK(syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) == 0);
}

static void call_write(void)
{
    CHECK(write(null, "x", 1) == 1);
}

static void call_map(void)
{
    char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(page != MAP_FAILED);
    CHECK(munmap(page, 4096) == 0);
}

static const struct kind {
    const char *name;
    void (*call)(void);
} kinds[] = {
    {"getppid", call_getppid}, {"clock", call_clock}, {"read", call_read},
    {"futex", call_futex},     {"write", call_write}, {"map", call_map},
};

static const struct kind *kind_named(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].name, name))
            return &kinds[i];
    die("no such kind: %s", name);
}

enum { TRIES = 10, CALLS = 5000 };

/* The best of a few tries: what it takes when nothing else is in the way. */
static double call_took_ns(const struct kind *kind)
{
    double best = 1e9;
    for (int i = 0; i < TRIES; i++) {
        uint64_t before = thread_cpu_ns();
        for (int j = 0; j < CALLS; j++)
            kind->call();
        double took = (double)(thread_cpu_ns() - before) / CALLS;
        best = took < best ? took : best;
    }
    return best;
}

int main(int argc, char **argv)
{
    const struct kind *kind = &kinds[0];
    double seconds = 1, microseconds = 10;
    const char *output = NULL;
    for (int option; (option = getopt(argc, argv, "k:u:s:o:")) != -1;) {
        if (option == 'k')
            kind = kind_named(optarg);
        else if (option == 'u')
            microseconds = atof(optarg);
        else if (option == 's')
            seconds = atof(optarg);
        else if (option == 'o')
            output = optarg;
        else
            return 2;
    }
    target_begin();
    zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    CHECK(zero >= 0 && null >= 0);
    double took_ns = call_took_ns(kind);
    uint64_t rounds = (uint64_t)((double)rounds_per_ms(spin_user) * microseconds / 1000);
    uint64_t calls = TRIES * CALLS, end = process_cpu_ns() + (uint64_t)(seconds * 1e9);
    while (process_cpu_ns() < end)
        for (int i = 0; i < 200; i++, calls++) {
            spin_user(rounds);
            kind->call();
        }
    uint64_t total = process_cpu_ns();
    if (output) {
        FILE *file = fopen(output, "we");
        CHECK(file);
        fprintf(file, "calls %.0f\ntotal %llu\n", (double)calls * took_ns / 1000, (unsigned long long)total / 1000);
        CHECK(fclose(file) == 0);
    }
    return 0;
}
