/* SPDX-License-Identifier: MIT
 *
 * The loops of spin.c: `loop` counts rcx down while it jumps to itself; the loop of system calls counts r8. */
#ifndef LOOPS_X86_64_H
#define LOOPS_X86_64_H

#include "loops_counted.h"

#define LOOP_OF_ONE                                                                                                    \
    "endbr64\n"                                                                                                        \
    ".skip 12, 0x90\n"                                                                                                 \
    "0: loop 0b\n"                                                                                                     \
    "ret\n"
#define LOOP_OF_CALLS                                                                                                  \
    "endbr64\n"                                                                                                        \
    ".skip 8, 0x90\n"                                                                                                  \
    "0: xor %eax, %eax\n"                                                                                              \
    "syscall\n"                                                                                                        \
    "dec %r8\n"                                                                                                        \
    "jnz 0b\n"                                                                                                         \
    "ret\n"

#endif
