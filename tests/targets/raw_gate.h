/* SPDX-License-Identifier: MIT
 *
 * Requests to a tracer as libpcsample makes them, but without its checks: any content, any address, any signal. */
#ifndef RAW_GATE_H
#define RAW_GATE_H

#include "common/arch/gate.h"
#include "target.h"

#include <signal.h>
#include <sys/syscall.h>

#ifdef __i386__
#include <sys/auxv.h>
#endif

/* Makes system call NUMBER with three arguments and a request at ADDRESS. Returns true if it was served, with the
 * answer in *RESULT. */
#ifdef __aarch64__
UNUSED static bool raw_gate(long number, long first, long second, long third, const void *address, long *result)
{
    register long which __asm__("x8") = number;
    register long answer __asm__("x0") = first;
    register long x1 __asm__("x1") = second;
    register long x2 __asm__("x2") = third;
    register uint64_t size __asm__("x3") = sizeof(uint64_t);
    register uint64_t magic __asm__("x4") = GATE_MAGIC;
    register const void *request __asm__("x5") = address;
    __asm__ volatile("svc #0"
                     : "+r"(answer), "+r"(magic), "+r"(request)
                     : "r"(which), "r"(x1), "r"(x2), "r"(size)
                     : "memory");
    *result = answer;
    return magic == GATE_SERVED;
}
#else
UNUSED static bool raw_gate(long number, long first, long second, long third, const void *address, long *result)
{
#ifdef __i386__
    /* by the vDSO, which uses the processor's best instruction; libpcsample uses int $0x80 */
    const uintptr_t request_and_way[] = {(uintptr_t)address, getauxval(AT_SYSINFO)}, *fourth = request_and_way;
    uint32_t magic = (uint32_t)GATE_MAGIC;
    *result = number;
    __asm__ volatile("push %%ebp\n"
                     "mov (%%esi), %%ebp\n"
                     "push 4(%%esi)\n"
                     "mov $8, %%esi\n"
                     "call *(%%esp)\n"
                     "add $4, %%esp\n"
                     "pop %%ebp\n"
                     : "+a"(*result), "+D"(magic), "+S"(fourth)
                     : "b"(first), "c"(second), "d"(third)
                     : "memory");
    return magic == (uint32_t)GATE_SERVED;
#else
    register uint64_t magic __asm__("r8") = GATE_MAGIC;
    register const void *request __asm__("r9") = address;
    register uint64_t size __asm__("r10") = sizeof(uint64_t);
    *result = number;
    __asm__ volatile("syscall"
                     : "+a"(*result), "+r"(magic), "+r"(request), "+r"(size)
                     : "D"(first), "S"(second), "d"(third)
                     : "rcx", "r11", "memory");
    return magic == GATE_SERVED;
#endif
}
#endif

/* Makes a request by SIG, sent to the calling thread. */
UNUSED static bool raw_gate_by(int sig, const void *address, long *result)
{
    return raw_gate(SYS_tgkill, getpid(), (long)syscall(SYS_gettid), sig, address, result);
}

/* Calls pcsample by SIGURG, which must not be blocked. Returns -ENOSYS if it was not served. */
UNUSED static long raw_pcsample(uintptr_t *samples, long count)
{
    const struct gate_request request = {GATE_MAGIC, GATE_PCSAMPLE, {(uint64_t)(uintptr_t)samples, (uint64_t)count}};
    long result;
    return raw_gate_by(SIGURG, &request, &result) ? result : -ENOSYS;
}

#endif
