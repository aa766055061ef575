/* SPDX-License-Identifier: MIT
 *
 * Calls itself:
 *
 *     recursion [CPU_MILLISECONDS]
 * A third of the time is at the bottom of walk, which calls itself. A third is at the bottom of ping and pong, which
 * call each other. A third is in a branch that the recursion reaches through another function. */
#include "target.h"

enum { DEPTH = 20 };

DEFINE_SPIN(spin, 0x77)

static uint64_t rounds;

__attribute__((noinline, noclone)) static uint64_t walk(unsigned left)
{
    uint64_t result = left ? walk(left - 1) : spin(rounds);
    __asm__ volatile("" ::: "memory"); /* so that the call is not a jump */
    return result + 1;
}

static uint64_t pong(unsigned left);

__attribute__((noinline, noclone)) static uint64_t ping(unsigned left)
{
    uint64_t result = pong(left);
    __asm__ volatile("" ::: "memory");
    return result + 1;
}

__attribute__((noinline, noclone)) static uint64_t pong(unsigned left)
{
    uint64_t result = left ? ping(left - 1) : spin(rounds);
    __asm__ volatile("" ::: "memory");
    return result + 1;
}

__attribute__((noinline, noclone)) static uint64_t visit(unsigned left);

__attribute__((noinline, noclone)) static uint64_t by_way_of(unsigned left)
{
    uint64_t result = visit(left - 1);
    __asm__ volatile("" ::: "memory");
    return result + 1;
}

__attribute__((noinline, noclone)) static uint64_t visit(unsigned left)
{
    uint64_t result = left ? by_way_of(left) : spin(rounds);
    __asm__ volatile("" ::: "memory");
    return result + 1;
}

int main(int argc, char **argv)
{
    uint64_t cpu_ns = (argc > 1 ? strtoull(argv[1], NULL, 10) : 300) * MILLISECOND_NS;
    rounds = rounds_per_ms(spin) / 2;
    while (thread_cpu_ns() < cpu_ns) {
        walk(DEPTH);
        ping(DEPTH);
        visit(1);
    }
    return 0;
}
