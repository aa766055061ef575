/* SPDX-License-Identifier: MIT
 *
 * Calls neither profil nor pcsample by itself. It is built as a PIE and not, static and static-pie.
 *
 *     imposed work CPU_MS      three functions take half, three tenths and a fifth of the time
 *     imposed count CPU_MS     like work; prints the process's CPU time in us, at its beginning and before its end
 *     imposed fork CPU_MS      works for CPU_MS in one function and forks; parent and child then work in different ones
 *     imposed own CPU_MS       works for CPU_MS, calls profil, works in another function, and prints profil's counts
 *     imposed die CPU_MS       works for CPU_MS, and is killed
 *     imposed end 0            does nothing */
#include "target.h"

#include <signal.h>

DEFINE_SPIN(imposed_half, 0xd01)
DEFINE_SPIN(imposed_three_tenths, 0xd02)
DEFINE_SPIN(imposed_fifth, 0xd03)
DEFINE_SPIN(imposed_parent, 0xd04)
DEFINE_SPIN(imposed_child, 0xd05)

static void work(uint64_t milliseconds)
{
    const uint64_t rounds = rounds_per_ms(imposed_fifth), end = thread_cpu_ns() + milliseconds * MILLISECOND_NS;
    while (thread_cpu_ns() < end) {
        imposed_half(5 * rounds);
        imposed_three_tenths(3 * rounds);
        imposed_fifth(2 * rounds);
    }
}

static void work_and_fork(uint64_t milliseconds)
{
    spin_cpu_ms(imposed_half, milliseconds);
    pid_t child = fork();
    CHECK(child >= 0);
    spin_cpu_ms(child ? imposed_parent : imposed_child, milliseconds);
    if (!child)
        _exit(0);
    CHECK_EXITED(child, 0);
    printf("child %d\n", (int)child);
}

static void work_and_call(uint64_t milliseconds)
{
    static unsigned short cells[4096];
    uint64_t sum = 0;
    spin_cpu_ms(imposed_half, milliseconds);
    CHECK(profil(cells, sizeof cells, (size_t)(uintptr_t)imposed_parent, 65536) == 0);
    spin_cpu_ms(imposed_parent, milliseconds);
    CHECK(profil(NULL, 0, 0, 0) == 0);
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
        sum += cells[i];
    printf("own %llu\n", (unsigned long long)sum);
}

int main(int argc, char **argv)
{
    uint64_t began_us = process_cpu_ns() / 1000;
    target_begin();
    CHECK(argc == 3);
    uint64_t milliseconds = strtoull(argv[2], NULL, 10);
    if (strcmp(argv[1], "fork") == 0)
        work_and_fork(milliseconds);
    else if (strcmp(argv[1], "own") == 0)
        work_and_call(milliseconds);
    else if (strcmp(argv[1], "end") != 0)
        work(milliseconds);
    if (strcmp(argv[1], "die") == 0)
        raise(SIGKILL);
    if (strcmp(argv[1], "count") == 0)
        printf("began %llu\nended %llu\n", (unsigned long long)began_us, (unsigned long long)(process_cpu_ns() / 1000));
    return 0;
}
