/* SPDX-License-Identifier: MIT
 *
 * The same work as a 64-bit and as a 32-bit program:
 *
 *     twins CPU_MILLISECONDS [COMMAND...]
 * A quarter of the time each is at the bottom of a recursion, in a signal handler, in a function that the C library
 * calls, and in a function called by pointer. Then it executes COMMAND. Built by the tests that use it. */
#include "target.h"

#include <signal.h>

enum { DEPTH = 20, PART_MS = 4 };

DEFINE_SPIN(at_the_bottom, 0x11)
DEFINE_SPIN(in_the_handler, 0x22)
DEFINE_SPIN(for_the_library, 0x33)
DEFINE_SPIN(by_pointer, 0x44)

__attribute__((noinline, noclone)) static int recurse(unsigned left)
{
    int result = 0;
    if (left)
        result = recurse(left - 1) + 1;
    else
        spin_cpu_ms(at_the_bottom, PART_MS);
    __asm__ volatile("" ::: "memory"); /* so that the call is neither a jump nor a loop */
    return result;
}

__attribute__((noinline, noclone)) static void handle(int sig)
{
    (void)sig;
    spin_cpu_ms(in_the_handler, PART_MS);
}

__attribute__((noinline, noclone)) static void raise_it(int sig)
{
    CHECK(raise(sig) == 0);
}

/* With an array of one element, the C library compares it with the key once. */
__attribute__((noinline, noclone)) static int compare(const void *one, const void *other)
{
    spin_cpu_ms(for_the_library, PART_MS);
    return *(const int *)one - *(const int *)other;
}

__attribute__((noinline, noclone)) static void search(void)
{
    int one = 1;
    CHECK(bsearch(&one, &one, 1, sizeof one, compare) == &one);
}

int main(int argc, char **argv)
{
    spin_function *volatile pointer = by_pointer;
    CHECK(argc > 1);
    uint64_t end = process_cpu_ns() + strtoull(argv[1], NULL, 10) * MILLISECOND_NS;
    struct sigaction plain = {.sa_handler = handle}, informed = {.sa_handler = handle, .sa_flags = SA_SIGINFO};
    CHECK(sigaction(SIGUSR1, &plain, NULL) == 0 && sigaction(SIGUSR2, &informed, NULL) == 0);
    for (unsigned round = 0; process_cpu_ns() < end; round++) {
        CHECK(recurse(DEPTH) == DEPTH);
        raise_it(round & 1 ? SIGUSR1 : SIGUSR2);
        search();
        spin_cpu_ms(pointer, PART_MS);
    }
    printf("%u-bit\n", (unsigned)sizeof(void *) * 8);
    fflush(stdout);
    if (argc > 2)
        execv(argv[2], argv + 2);
    return argc > 2 ? 99 : 44;
}
