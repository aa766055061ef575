/* SPDX-License-Identifier: MIT
 *
 * The timeouts of system calls: their location, their form, and the result when they expire. */
#include "common/arch/arch.h"
#include "common/arch/call.h"
#include "common/arch/machine.h"

#include <errno.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>

/* From <linux/io_uring.h>, which may be too old to define them. */
enum {
    RING_GETEVENTS = 1,
    RING_EXT_ARG = 1 << 3,    /* the argument is a struct, with a pointer to the timeout */
    RING_ABSOLUTE = 1 << 5,   /* the timeout is an absolute time */
    RING_REGISTERED = 1 << 6, /* the argument is an offset */
    RING_TIMESPEC_AT = 16,
};

static struct arch_timeout of_ring(uint64_t flags, uint64_t argument)
{
    struct arch_timeout timeout = {.result = -ETIME};
    const uint64_t wanted = RING_GETEVENTS | RING_EXT_ARG, unwanted = RING_ABSOLUTE | RING_REGISTERED;
    if ((flags & (wanted | unwanted)) != wanted || !argument)
        return timeout;
    timeout.place = ARCH_TIMEOUT_POINTER_AT;
    timeout.address = argument + RING_TIMESPEC_AT;
    return timeout;
}

static struct arch_timeout at(uint64_t address, int64_t result)
{
    return (struct arch_timeout){
        .place = address ? ARCH_TIMEOUT_AT : ARCH_NO_TIMEOUT, .address = address, .result = result};
}

static struct arch_timeout in_milliseconds(int32_t milliseconds)
{
    return (struct arch_timeout){.place = milliseconds < 0 ? ARCH_NO_TIMEOUT : ARCH_TIMEOUT_VALUE,
                                 .milliseconds = milliseconds};
}

static struct arch_timeout of_sockets(int receives, int sends)
{
    return (struct arch_timeout){
        .place = ARCH_TIMEOUT_OF_SOCKET, .receives = receives, .sends = sends, .result = -EAGAIN};
}

struct arch_timeout call_timeout(const struct arch_registers *registers)
{
    struct arch_timeout timeout = {.place = ARCH_NO_TIMEOUT};
    int descriptor = (int)call_argument(registers, 0);
    switch (arch_syscall(registers)) {
    case ARCH_SYS_EPOLL_WAIT:
    case SYS_epoll_pwait:
        return in_milliseconds((int32_t)call_argument(registers, 3));
    case SYS_nanosleep:
        return at(call_argument(registers, 0), 0);
    case SYS_clock_nanosleep:
        return call_argument(registers, 1) & TIMER_ABSTIME ? timeout : at(call_argument(registers, 2), 0);
    case ARCH_SYS_POLL:
        return in_milliseconds((int32_t)call_argument(registers, 2));
    case SYS_futex: /* the other ways of waiting have an absolute timeout */
        return (call_argument(registers, 1) & (uint64_t)FUTEX_CMD_MASK) == FUTEX_WAIT
                   ? at(call_argument(registers, 3), -ETIMEDOUT)
                   : timeout;
    case SYS_epoll_pwait2:
        return at(call_argument(registers, 3), 0);
    case SYS_io_getevents:
    case SYS_io_pgetevents:
        return at(call_argument(registers, 4), 0);
    case SYS_semtimedop:
        return at(call_argument(registers, 3), -EAGAIN);
    case SYS_rt_sigtimedwait:
        return at(call_argument(registers, 2), -EAGAIN);
    case SYS_io_uring_enter:
        return of_ring(call_argument(registers, 3), call_argument(registers, 4));
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_recvmmsg:
    case SYS_read:
    case SYS_readv:
    case SYS_preadv2:
    case SYS_accept:
    case SYS_accept4:
        return of_sockets(descriptor, -1);
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_sendmmsg:
    case SYS_write:
    case SYS_writev:
    case SYS_pwritev2:
    case SYS_sendfile:
        return of_sockets(-1, descriptor);
    case SYS_splice:
        return of_sockets(descriptor, (int)call_argument(registers, 2));
    case SYS_connect:
        timeout = of_sockets(-1, descriptor);
        timeout.connects = true;
        return timeout;
    default:
        return timeout;
    }
}

/* Returns the index of the argument with the call's MSG_ flags, or -1. */
static int message_flags_of(const struct arch_registers *registers)
{
    switch (arch_syscall(registers)) {
    case SYS_sendto:
    case SYS_recvfrom:
    case SYS_sendmmsg:
    case SYS_recvmmsg:
        return 3;
    case SYS_sendmsg:
    case SYS_recvmsg:
        return 2;
    default:
        return -1;
    }
}

void call_pack_timeout(const struct arch_registers *registers, struct arch_timeout *timeout, uint64_t arguments_at)
{
    int flags = message_flags_of(registers);
    timeout->descriptor_at = arguments_at;
    timeout->flags_at = flags < 0 ? 0 : arguments_at + (uint64_t)flags * sizeof(uint32_t);
}

/* Returns true if the flags in the call's registers forbid waiting. */
static bool must_not_wait(const struct arch_registers *registers)
{
    enum { NO_WAIT = 8 /* RWF_NOWAIT */, SPLICE_NO_WAIT = 2 };
    int flags = message_flags_of(registers);
    switch (arch_syscall(registers)) {
    case SYS_preadv2:
    case SYS_pwritev2:
        return call_argument(registers, 5) & NO_WAIT;
    case SYS_splice:
        return call_argument(registers, 5) & SPLICE_NO_WAIT;
    default:
        return flags >= 0 && call_argument(registers, flags) & MSG_DONTWAIT;
    }
}

bool call_timed_out(const struct arch_registers *registers, struct arch_timeout *timeout)
{
    int64_t result = arch_result(registers);
    *timeout = arch_timeout(registers);
    bool over = result == timeout->result || (timeout->connects && (result == -EINPROGRESS || result == -EALREADY));
    return timeout->place == ARCH_TIMEOUT_OF_SOCKET && over && (timeout->flags_at || !must_not_wait(registers));
}
