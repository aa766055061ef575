/* SPDX-License-Identifier: MIT
 *
 * System calls. */
#ifndef LIBPCSAMPLE_ARM64_H
#define LIBPCSAMPLE_ARM64_H

#include "common/arch/gate.h"

static inline long system_call(long number, long a, long b, long c, long d)
{
    register long which __asm__("x8") = number;
    register long first __asm__("x0") = a;
    register long second __asm__("x1") = b;
    register long third __asm__("x2") = c;
    register long fourth __asm__("x3") = d;
    __asm__ volatile("svc #0" : "+r"(first) : "r"(which), "r"(second), "r"(third), "r"(fourth) : "memory");
    return first;
}

/* Like system_call, with the marks of a request in registers (arch/gate.h). */
static inline long marked_call(long number, long a, long b, long c, long d, uint64_t *mark,
                               struct gate_request *request)
{
    register long which __asm__("x8") = number;
    register long first __asm__("x0") = a;
    register long second __asm__("x1") = b;
    register long third __asm__("x2") = c;
    register long fourth __asm__("x3") = d;
    register uint64_t fifth __asm__("x4") = *mark;
    register struct gate_request *sixth __asm__("x5") = request;
    __asm__ volatile("svc #0"
                     : "+r"(first), "+r"(fifth)
                     : "r"(which), "r"(second), "r"(third), "r"(fourth), "r"(sixth)
                     : "memory");
    *mark = fifth;
    return first;
}

#endif
