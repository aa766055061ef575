/* SPDX-License-Identifier: MIT
 *
 * System calls. */
#ifndef LIBPCSAMPLE_X86_64_H
#define LIBPCSAMPLE_X86_64_H

#include "common/arch/gate.h"

static inline long system_call(long number, long a, long b, long c, long d)
{
    register long fourth __asm__("r10") = d;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"(number), "D"(a), "S"(b), "d"(c), "r"(fourth)
                     : "rcx", "r11", "memory");
    return result;
}

/* Like system_call, with the marks of a request in registers (arch/gate.h). */
static inline long marked_call(long number, long a, long b, long c, long d, uint64_t *mark,
                               struct gate_request *request)
{
    register long fourth __asm__("r10") = d;
    register uint64_t fifth __asm__("r8") = *mark;
    register struct gate_request *sixth __asm__("r9") = request;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result), "+r"(fifth)
                     : "0"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(sixth)
                     : "rcx", "r11", "memory");
    *mark = fifth;
    return result;
}

#endif
