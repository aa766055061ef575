/* SPDX-License-Identifier: MIT
 *
 * Deep stacks, all different:
 *
 *     deep [traced]
 * Two functions call themselves and each other at random, 4000 deep, for 300 milliseconds of CPU time; the innermost
 * calls spin(). Prints how many microseconds spin() and all of it took. With "traced" they do so until the program is
 * no longer traced, and it fails if that does not happen. */
#include "target.h"

enum { DEPTH = 4000, ROUNDS = 20000, LIFE_SECONDS = 60 };

DEFINE_SPIN(spin, 0x3d)

static uint64_t spin_ns;

static inline uint64_t timed_spin(void)
{
    uint64_t before = thread_cpu_ns();
    uint64_t result = spin(ROUNDS);
    spin_ns += thread_cpu_ns() - before;
    return result;
}

static uint64_t left(unsigned depth);

__attribute__((noinline, noclone)) static uint64_t right(unsigned depth)
{
    uint64_t result = !depth ? timed_spin() : random_bit() ? left(depth - 1) : right(depth - 1);
    __asm__ volatile("" ::: "memory"); /* so that the call is not a jump */
    return result + 1;
}

__attribute__((noinline, noclone)) static uint64_t left(unsigned depth)
{
    uint64_t result = !depth ? timed_spin() : random_bit() ? right(depth - 1) : left(depth - 1);
    __asm__ volatile("" ::: "memory");
    return result + 2;
}

static bool is_traced(void)
{
    char text[4096];
    int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    CHECK(fd >= 0);
    ssize_t got = read(fd, text, sizeof text - 1);
    CHECK(got > 0 && close(fd) == 0);
    text[got] = 0;
    const char *tracer = strstr(text, "\nTracerPid:\t");
    CHECK(tracer);
    return tracer[12] != '0';
}

int main(int argc, char **argv)
{
    bool until_let_go = argc > 1 && !strcmp(argv[1], "traced");
    uint64_t end_ns = monotonic_ns() + LIFE_SECONDS * SECOND_NS;
    while (until_let_go ? is_traced() : thread_cpu_ns() < 300 * MILLISECOND_NS) {
        CHECK(!until_let_go || monotonic_ns() < end_ns);
        left(DEPTH);
    }
    printf("spin %llu\ntotal %llu\n", (unsigned long long)(spin_ns / 1000),
           (unsigned long long)(thread_cpu_ns() / 1000));
    return 0;
}
