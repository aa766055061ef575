/* SPDX-License-Identifier: MIT */
#include "arch/arch.h"

#include "arch/x86_64/i386.h"

#include <errno.h>
#include <sys/syscall.h>

enum { SYSCALL_BYTES = 2 };

/* The kernel takes the number of a call from the lower half of its register, keeps the whole register for as long as
 * the call lasts, restarts included, and forgets it when the call returns. So the upper half can carry a mark. */
#define MARK ((uint64_t)0x70747066)

/* Of <linux/io_uring.h>, which may be too old to have them. */
enum {
    RING_GETEVENTS = 1,
    RING_EXT_ARG = 1 << 3,    /* the argument is a struct, with a pointer to the timeout */
    RING_ABSOLUTE = 1 << 5,   /* the timeout is an instant */
    RING_REGISTERED = 1 << 6, /* the argument is an offset */
    RING_TIMESPEC_AT = 16,
};

static bool is_marked(uint64_t number)
{
    return number >> 32 == MARK;
}

uint64_t arch_unmarked(uint64_t number)
{
    return is_marked(number) ? (uint32_t)number : number;
}

/* The registers of a 32-bit thread have no upper halves. */
bool arch_takes_mark(const struct arch_registers *registers)
{
    return !registers->is_narrow;
}

void arch_mark(struct arch_registers *mended)
{
    if (arch_takes_mark(mended))
        mended->user.rax = (uint32_t)mended->user.rax | MARK << 32;
}

bool arch_is_marked(const struct arch_registers *registers)
{
    return is_marked(registers->user.orig_rax);
}

/* Before Linux 5.14 the whole register is the number, and there is no such call. */
bool arch_marks_hold(void)
{
    static int known;
    if (!known) {
        long result = SYS_getpid | (long)(MARK << 32);
        __asm__ volatile("syscall" : "+a"(result) : : "rcx", "r11", "memory");
        known = result > 0 ? 1 : -1;
    }
    return known > 0;
}

bool arch_waits_again(const struct arch_registers *mended, int number, uint64_t pc, uint64_t sp)
{
    return arch_unmarked(mended->user.rax) == (uint64_t)number && mended->user.rip + SYSCALL_BYTES == pc &&
           mended->user.rsp == sp;
}

/* What the kernel puts there until it has the result. */
bool arch_enters_call(const struct arch_registers *registers)
{
    return (int64_t)registers->user.rax == -ENOSYS;
}

bool arch_connects_still(const struct arch_registers *registers)
{
    bool again = !arch_takes_mark(registers) || arch_is_marked(registers);
    return again && arch_syscall(registers) == SYS_connect && arch_result(registers) == -EALREADY;
}

static struct arch_timeout of_ring(const struct user_regs_struct *user)
{
    struct arch_timeout timeout = {.result = -ETIME};
    const uint64_t wanted = RING_GETEVENTS | RING_EXT_ARG, unwanted = RING_ABSOLUTE | RING_REGISTERED;
    if ((user->r10 & (wanted | unwanted)) != wanted || !user->r8)
        return timeout;
    timeout.place = ARCH_TIMEOUT_POINTER_AT;
    timeout.address = user->r8 + RING_TIMESPEC_AT;
    return timeout;
}

static struct arch_timeout at(uint64_t address, int64_t result)
{
    return (struct arch_timeout){
        .place = address ? ARCH_TIMEOUT_AT : ARCH_NO_TIMEOUT, .address = address, .result = result};
}

static struct arch_timeout of_sockets(int receives, int sends)
{
    return (struct arch_timeout){
        .place = ARCH_TIMEOUT_OF_SOCKET, .receives = receives, .sends = sends, .result = -EAGAIN};
}

static struct arch_timeout by_native_arguments(const struct arch_registers *registers)
{
    const struct user_regs_struct *user = &registers->user;
    struct arch_timeout timeout = {.place = ARCH_NO_TIMEOUT};
    switch (arch_syscall(registers)) {
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
        timeout.milliseconds = (int32_t)user->r10;
        timeout.place = timeout.milliseconds < 0 ? ARCH_NO_TIMEOUT : ARCH_TIMEOUT_VALUE;
        return timeout;
    case SYS_epoll_pwait2:
        return at(user->r10, 0);
    case SYS_io_getevents:
    case SYS_io_pgetevents:
        return at(user->r8, 0);
    case SYS_semtimedop:
        return at(user->r10, -EAGAIN);
    case SYS_rt_sigtimedwait:
        return at(user->rdx, -EAGAIN);
    case SYS_io_uring_enter:
        return of_ring(user);
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_recvmmsg:
    case SYS_read:
    case SYS_readv:
    case SYS_preadv2:
    case SYS_accept:
    case SYS_accept4:
        return of_sockets((int)user->rdi, -1);
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_sendmmsg:
    case SYS_write:
    case SYS_writev:
    case SYS_pwritev2:
    case SYS_sendfile:
        return of_sockets(-1, (int)user->rdi);
    case SYS_splice:
        return of_sockets((int)user->rdi, (int)user->rdx);
    case SYS_connect:
        timeout = of_sockets(-1, (int)user->rdi);
        timeout.connects = true;
        return timeout;
    default:
        return timeout;
    }
}

/* Since its time could pass the year 2038, i386 has new calls for times; older ones have them in words of 4 bytes. */
struct arch_timeout arch_timeout(const struct arch_registers *registers)
{
    enum { FIRST_WITH_LONG_TIMES = 403 };
    struct arch_timeout timeout = by_native_arguments(registers);
    timeout.is_short = registers->is_narrow && registers->user.r15 < FIRST_WITH_LONG_TIMES;
    if (timeout.place == ARCH_TIMEOUT_OF_SOCKET && i386_packed(registers))
        timeout.descriptor_at = registers->user.rsi;
    return timeout;
}
