/* SPDX-License-Identifier: MIT
 *
 * Functions in assembler without unwind tables, and without a frame pointer. After stripping, nothing shows where
 * they begin, as in libraries for cryptography, numbers and video.
 *
 *     untold MILLISECONDS
 * Each of three has a third of the time. plain pushes and pops. restored has aligned its stack, and loads the old
 * stack pointer from the stack at the end. Both are called by pointer. hidden restores the stack pointer from
 * another register, so that its instructions do not show it. It is called directly, and returns with the registers
 * of its caller; one of them leads to the caller's frame. Its own frame still has data of an earlier call of a
 * function that precedes it. */
#include "target.h"

#include <stdlib.h>

#if defined __x86_64__ || defined __i386__

#ifdef __x86_64__
#define R "r"
#define WORD "8"
#define SPACE "1096"
#else
#define R "e"
#define WORD "4"
#define SPACE "1100"
#endif

/* SP is the code that restores the stack pointer at the end. */
#define ALIGNED(name, sp)                                                                                              \
#name ":\n\tpush %" R "bx\n\tpush %" R "bp\n\tmov %" R "sp, %" R "ax\n\tsub $" SPACE ", %" R "sp\n\tand $-64, %" R \
          "sp\n\tmov %" R "ax, 16(%" R "sp)\n" LOOP sp "\tpop %" R "bp\n\tpop %" R "bx\n\tret\n"
#define LOOP "\tmov $300000, %ebp\n1:\txor %ebp, %ebx\n\tdec %ebp\n\tjnz 1b\n"

__asm__(".text\n\t.p2align 4\nbrief:\n\tret\n\t.p2align 4\nplain:\n\tpush %" R "bx\n\tpush %" R "bp\n" LOOP "\tpop %" R
        "bp\n\tpop %" R "bx\n\tret\n"
        ".p2align 4\n" ALIGNED(restored, "\tmov 16(%" R "sp), %" R
                                         "sp\n") ".p2align 4\n" ALIGNED(hidden, "\tlea 8(%" R "sp), %" R
                                                                                "dx\n\tmov 8(%" R "dx), %" R "sp\n"));

void brief(void) __attribute__((visibility("hidden")));
void plain(void) __attribute__((visibility("hidden")));
void restored(void) __attribute__((visibility("hidden")));
void hidden(void) __attribute__((visibility("hidden")));

#define CALLS(name, ...)                                                                                               \
    __attribute__((noinline, noclone)) void name(uint64_t until_ns)                                                    \
    {                                                                                                                  \
        while (thread_cpu_ns() < until_ns)                                                                             \
            __VA_ARGS__;                                                                                               \
    }

static void (*volatile pointer)(void);
CALLS(calls_plain, pointer())
CALLS(calls_restored, pointer())

__attribute__((noinline, noclone)) void calls_brief(void)
{
    volatile char room[300];
    room[0] = 1;
    brief();
    room[1] = room[0];
}

__attribute__((optimize("no-omit-frame-pointer"))) CALLS(calls_hidden, calls_brief(), hidden())

    int main(int argc, char **argv)
{
    uint64_t third_ns = (argc > 1 ? strtoull(argv[1], NULL, 10) : 300) * 1000000 / 3;
    pointer = plain;
    calls_plain(thread_cpu_ns() + third_ns);
    pointer = restored;
    calls_restored(thread_cpu_ns() + third_ns);
    calls_hidden(thread_cpu_ns() + third_ns);
    return 44;
}

#else

int main(void)
{
    puts("not in assembler of this processor");
    return 77;
}

#endif
