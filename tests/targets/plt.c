/* SPDX-License-Identifier: MIT
 *
 * Calls a tiny function of libc again and again, through the PLT:
 *
 *     plt [CPU_MS] */
#include "target.h"

__attribute__((noinline)) static long call_many(long x)
{
    for (int i = 0; i < 100000; i++)
        x = labs(x - 1) + 2;
    return x;
}

int main(int argc, char **argv)
{
    target_begin();
    uint64_t end = thread_cpu_ns() + (argc > 1 ? (uint64_t)atoi(argv[1]) : 400) * MILLISECOND_NS;
    volatile long x = 1;
    while (thread_cpu_ns() < end)
        x = call_many(x);
    return 0;
}
