/* SPDX-License-Identifier: MIT
 *
 * Requests to a supervisor as libpcsample makes them, but without its care: any content, any address, any signal. */
#ifndef RAW_GATE_H
#define RAW_GATE_H

#include "model/gate.h"
#include "target.h"

#include <signal.h>
#include <sys/syscall.h>

/* Makes system call NUMBER with three arguments and a request at ADDRESS. Returns true if it was served; *RESULT is
 * what came back. */
UNUSED static bool raw_gate(long number, long first, long second, long third, const void *address, long *result)
{
    register uint64_t magic __asm__("r8") = GATE_MAGIC;
    register const void *request __asm__("r9") = address;
    register uint64_t size __asm__("r10") = sizeof(uint64_t);
    *result = number;
    __asm__ volatile("syscall"
                     : "+a"(*result), "+r"(magic), "+r"(request), "+r"(size)
                     : "D"(first), "S"(second), "d"(third)
                     : "rcx", "r11", "memory");
    return magic == GATE_SERVED;
}

/* The same by SIG, sent to the calling thread. */
UNUSED static bool raw_gate_by(int sig, const void *address, long *result)
{
    return raw_gate(SYS_tgkill, getpid(), (long)syscall(SYS_gettid), sig, address, result);
}

/* pcsample by SIGURG, which must not be blocked. Returns -ENOSYS if it was not served. */
UNUSED static long raw_pcsample(uintptr_t *samples, long count)
{
    const struct gate_request request = {GATE_MAGIC, GATE_PCSAMPLE, {(uint64_t)(uintptr_t)samples, (uint64_t)count}};
    long result;
    return raw_gate_by(SIGURG, &request, &result) ? result : -ENOSYS;
}

#endif
