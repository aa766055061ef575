/* SPDX-License-Identifier: MIT
 *
 * Works in functions that are found in different ways; it is built as a PIE and not, static and static-pie.
 *     names [-u] plain|local|mangled|ifunc|vdso|libc [CPU_MS]
 * -u: removes its own file first, named by its first argument. */
#include "target.h"

DEFINE_SPIN(named_work, 0xc01)
DEFINE_SPIN(chosen_by_ifunc, 0xc02)

/* The mangled name of outer::Inner<int>::work(unsigned long) in C++. */
uint64_t mangled_work(uint64_t rounds) __asm__("_ZN5outer5InnerIiE4workEm");
DEFINE_SPIN(mangled_work, 0xc03)

static spin_function *resolve(void)
{
    return chosen_by_ifunc;
}

uint64_t picked_at_load(uint64_t rounds) __attribute__((ifunc("resolve")));

__attribute__((noinline)) static uint64_t local_work(uint64_t rounds)
{
    uint64_t x = rounds;
    for (uint64_t i = 0; i < rounds; i++) {
        x = x * 6364136223846793005ull + 1442695040888963407ull;
        __asm__ volatile("" : "+r"(x));
    }
    return x;
}

static void vdso_work(uint64_t milliseconds)
{
    struct timespec now;
    uint64_t end = thread_cpu_ns() + milliseconds * MILLISECOND_NS;
    while (thread_cpu_ns() < end)
        for (int i = 0; i < 20000; i++)
            clock_gettime(CLOCK_MONOTONIC, &now);
}

static void libc_work(uint64_t milliseconds)
{
    enum { SIZE = 1 << 16 };
    static char text[SIZE];
    char *volatile where = text;
    uint64_t end = thread_cpu_ns() + milliseconds * MILLISECOND_NS;
    memset(text, 'x', SIZE - 1);
    while (thread_cpu_ns() < end)
        for (int i = 0; i < 500; i++)
            CHECK(strlen(where) == SIZE - 1);
}

int main(int argc, char **argv)
{
    target_begin();
    if (argc > 1 && strcmp(argv[1], "-u") == 0) {
        CHECK(unlink(argv[0]) == 0);
        argv++;
        argc--;
    }
    const char *mode = argc > 1 ? argv[1] : "plain";
    uint64_t milliseconds = argc > 2 ? (uint64_t)atoi(argv[2]) : 200;
    if (strcmp(mode, "vdso") == 0)
        vdso_work(milliseconds);
    else if (strcmp(mode, "libc") == 0)
        libc_work(milliseconds);
    else
        spin_cpu_ms(strcmp(mode, "mangled") == 0 ? mangled_work
                    : strcmp(mode, "ifunc") == 0 ? picked_at_load
                    : strcmp(mode, "local") == 0 ? local_work
                                                 : named_work,
                    milliseconds);
    return 0;
}
