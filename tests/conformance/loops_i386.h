/* SPDX-License-Identifier: MIT
 *
 * The loops of spin.c. Their arguments are on the stack; counts have 64 bits there. */
#ifndef LOOPS_I386_H
#define LOOPS_I386_H

#include "loops_counted.h"

#define LOOP_OF_ONE                                                                                                    \
    "endbr32\n"                                                                                                        \
    "mov 16(%esp), %ecx\n"                                                                                             \
    ".skip 8, 0x90\n"                                                                                                  \
    "0: loop 0b\n"                                                                                                     \
    "ret\n"
#define LOOP_OF_CALLS                                                                                                  \
    "endbr32\n"                                                                                                        \
    "jmp 2f\n"                                                                                                         \
    ".skip 3, 0x90\n"                                                                                                  \
    "1: mov $3, %eax\n" /* read */                                                                                     \
    "int $0x80\n"                                                                                                      \
    "dec %esi\n"                                                                                                       \
    "jnz 1b\n"                                                                                                         \
    "pop %esi\n"                                                                                                       \
    "pop %ebx\n"                                                                                                       \
    "ret\n"                                                                                                            \
    "2: push %ebx\n"                                                                                                   \
    "push %esi\n"                                                                                                      \
    "mov 12(%esp), %ebx\n"                                                                                             \
    "mov 16(%esp), %ecx\n"                                                                                             \
    "mov 20(%esp), %edx\n"                                                                                             \
    "mov 32(%esp), %esi\n"                                                                                             \
    "jmp 1b\n"

#endif
