/* SPDX-License-Identifier: MIT */
#include "arch/arch.h"

#include "arch/machine.h"

#include <errno.h>
#include <sys/syscall.h>

enum { NUMBER = 8, DIRECTION = 7 };

/* The kernel takes the number of a call from the lower half of its register. So the upper half can carry a mark. It is
 * still there when the call has returned; code that makes another call sets the whole register. */
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

void arch_mark(struct arch_registers *mended)
{
    mended->user.regs[NUMBER] = (uint32_t)mended->user.regs[NUMBER] | MARK << 32;
}

bool arch_takes_mark(const struct arch_registers *registers)
{
    (void)registers;
    return true;
}

bool arch_is_marked(const struct arch_registers *registers)
{
    return registers->where != ARCH_NO_CALL && is_marked(registers->user.regs[NUMBER]);
}

bool arch_marks_hold(void)
{
    return true;
}

bool arch_waits_again(const struct arch_registers *mended, int number, uint64_t pc, uint64_t sp)
{
    return arch_unmarked(mended->user.regs[NUMBER]) == (uint64_t)number && mended->user.pc + ARCH_SYSCALL_BYTES == pc &&
           mended->user.sp == sp;
}

/* At these stops, and only there, the kernel shows in a register which of them it is. */
bool arch_enters_call(const struct arch_registers *registers)
{
    return registers->user.regs[DIRECTION] == 0;
}

bool arch_connects_still(const struct arch_registers *registers)
{
    return arch_is_marked(registers) && arch_syscall(registers) == SYS_connect && arch_result(registers) == -EALREADY;
}

static struct arch_timeout of_ring(const struct user_regs_struct *user)
{
    struct arch_timeout timeout = {.result = -ETIME};
    const uint64_t wanted = RING_GETEVENTS | RING_EXT_ARG, unwanted = RING_ABSOLUTE | RING_REGISTERED;
    if ((user->regs[3] & (wanted | unwanted)) != wanted || !user->regs[4])
        return timeout;
    timeout.place = ARCH_TIMEOUT_POINTER_AT;
    timeout.address = user->regs[4] + RING_TIMESPEC_AT;
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

/* The first argument of a call that has failed is where its result does not cover it. */
static int descriptor(const struct arch_registers *registers)
{
    return (int)(registers->argument_known ? registers->argument : registers->user.regs[0]);
}

struct arch_timeout arch_timeout(const struct arch_registers *registers)
{
    const struct user_regs_struct *user = &registers->user;
    struct arch_timeout timeout = {.place = ARCH_NO_TIMEOUT};
    switch (arch_syscall(registers)) {
    case SYS_epoll_pwait:
        timeout.milliseconds = (int32_t)user->regs[3];
        timeout.place = timeout.milliseconds < 0 ? ARCH_NO_TIMEOUT : ARCH_TIMEOUT_VALUE;
        return timeout;
    case SYS_epoll_pwait2:
        return at(user->regs[3], 0);
    case SYS_io_getevents:
    case SYS_io_pgetevents:
        return at(user->regs[4], 0);
    case SYS_semtimedop:
        return at(user->regs[3], -EAGAIN);
    case SYS_rt_sigtimedwait:
        return at(user->regs[2], -EAGAIN);
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
        return of_sockets(descriptor(registers), -1);
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_sendmmsg:
    case SYS_write:
    case SYS_writev:
    case SYS_pwritev2:
    case SYS_sendfile:
        return of_sockets(-1, descriptor(registers));
    case SYS_splice:
        return of_sockets(descriptor(registers), (int)user->regs[2]);
    case SYS_connect:
        timeout = of_sockets(-1, descriptor(registers));
        timeout.connects = true;
        return timeout;
    default:
        return timeout;
    }
}
