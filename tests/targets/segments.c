/* SPDX-License-Identifier: MIT
 *
 * Waits in a call that ignored signals would end with EINTR without a restart, and that must end by its timeout. The
 * thread's segment registers must not change. A 32-bit program uses a segment selector with a lower privilege level,
 * which the kernel accepts from no tracer. In a 64-bit program, 32-bit code makes the call, after a far jump, and
 * only the kernel knows the base of its segments. Built by the test that uses it; the 64-bit one without PIE, so
 * that 32-bit code can return to it. */
#include "target.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>

enum { SIGNALS = 20, SIGNALS_EVERY_MS = 10, WAIT_MS = 500 };

#ifdef __i386__
enum { FROM_THE_PROGRAM_ALONE = 0x28 };

static long wait_for_nothing(int epoll)
{
    struct epoll_event event;
    unsigned segment;
    __asm__ volatile("mov %0, %%es\n\tmov %0, %%ds" : : "r"(FROM_THE_PROGRAM_ALONE));
    long result = epoll_wait(epoll, &event, 1, WAIT_MS);
    __asm__ volatile("mov %%ds, %0" : "=r"(segment));
    CHECK(segment == FROM_THE_PROGRAM_ALONE);
    return result;
}
#else
enum { CODE_OF_32_BITS = 0x23, EPOLL_WAIT_OF_32_BITS = 256, SIZE = 1 << 16, EVENT_AT = 1 << 12, JUMP_AT = 1 << 13 };

static long wait_for_nothing(int epoll)
{
    static const unsigned char code[] = {0xcd, 0x80, 0xcb}; /* int $0x80; far return */
    struct __attribute__((packed)) {
        uint32_t offset;
        uint16_t segment;
    } * jump;
    char *low = mmap(NULL, SIZE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    long result = EPOLL_WAIT_OF_32_BITS;
    register char *stack __asm__("r15") = low + SIZE - 64;
    CHECK(low != MAP_FAILED);
    memcpy(low, code, sizeof code);
    jump = (void *)(low + JUMP_AT);
    jump->offset = (uint32_t)(uintptr_t)low;
    jump->segment = CODE_OF_32_BITS;
    __asm__ volatile("mov %%rsp, %%r14\n\tmov %%r15, %%rsp\n\tlcall *(%%rdi)\n\tmov %%r14, %%rsp"
                     : "+a"(result), "+r"(stack)
                     : "b"((long)epoll), "c"(low + EVENT_AT), "d"(1L), "S"((long)WAIT_MS), "D"(jump)
                     : "r8", "r9", "r10", "r11", "r12", "r13", "r14", "memory", "cc");
    return (int)result;
}
#endif

static pid_t begin_signals(void)
{
    pid_t waiter = getpid(), child = fork();
    for (int i = 0; child == 0 && i < SIGNALS; i++) {
        nap_ms(SIGNALS_EVERY_MS);
        kill(waiter, SIGWINCH);
    }
    if (child == 0)
        _exit(0);
    CHECK(child > 0);
    return child;
}

int main(void)
{
    int epoll = epoll_create1(0), status;
    pid_t child = begin_signals();
    CHECK(epoll >= 0);
    long result = wait_for_nothing(epoll);
    if (result != 0)
        die("the call has returned %ld", result);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    return 0;
}
