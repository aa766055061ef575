/* SPDX-License-Identifier: MIT */
#include "common/arch/call_table.h"

#include "common/arch/call.h"
#include "common/base/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/futex.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>

/* Constants of calls that headers may be too old to define. */
enum { RWF_NO_WAIT = 8, SPLICE_NO_WAIT = 2 };

/* How often a call starts over. Allocated and read blocks remain, so fallocate and swapoff end even if they are
 * interrupted often. The verification of a BPF program starts over. Signals that come faster than it takes delay it
 * until they stop. */
enum { TIMES = 20, TIMES_WITH_PROGRESS = 10000 };

#define AGAIN .again = true
#define ALWAYS(name) [SYS_##name] = {AGAIN}
#define EXCEPT(argument, bits) AGAIN, .except = {argument, bits}
#define MILLISECONDS(argument) .timeout = {CALL_MILLISECONDS, argument, 0}
#define TIMESPEC(argument, result) .timeout = {CALL_TIMESPEC, argument, result}
#define TIMEVAL(argument) .timeout = {CALL_TIMEVAL, argument, 0}
#define RECEIVES .timeout = {CALL_RECEIVES, 0, -EAGAIN}
#define SENDS .timeout = {CALL_SENDS, 0, -EAGAIN}
#define NO_WAIT(argument, bits) .no_wait = {argument, bits}

/* Most calls here fail with EINTR at any stop without having changed anything. Entering them again is then equal to not
 * having been stopped. The others are here for their timeout, or for the remainder of a transfer. */
static const struct call_rules table[] = {
    /* Calls with SO_RCVTIMEO or SO_SNDTIMEO: without a timeout the kernel restarts them. A connect that is entered
     * again waits for the connection in progress. */
    [SYS_read] = {AGAIN, RECEIVES, .transfer = ARCH_READ},
    [SYS_readv] = {AGAIN, RECEIVES},
    [SYS_preadv2] = {AGAIN, RECEIVES, NO_WAIT(5, RWF_NO_WAIT)},
    [SYS_recvfrom] = {AGAIN, RECEIVES, NO_WAIT(3, MSG_DONTWAIT)},
    [SYS_recvmsg] = {AGAIN, RECEIVES, NO_WAIT(2, MSG_DONTWAIT)},
    [SYS_recvmmsg] = {AGAIN, RECEIVES, NO_WAIT(3, MSG_DONTWAIT)},
    [SYS_accept] = {AGAIN, RECEIVES},
    [SYS_accept4] = {AGAIN, RECEIVES},
    [SYS_write] = {AGAIN, SENDS, .transfer = ARCH_WRITE},
    [SYS_writev] = {AGAIN, SENDS},
    [SYS_pwritev2] = {AGAIN, SENDS, NO_WAIT(5, RWF_NO_WAIT)},
    [SYS_sendto] = {AGAIN, SENDS, NO_WAIT(3, MSG_DONTWAIT), .transfer = ARCH_WRITE},
    [SYS_sendmsg] = {AGAIN, SENDS, NO_WAIT(2, MSG_DONTWAIT)},
    [SYS_sendmmsg] = {AGAIN, SENDS, NO_WAIT(3, MSG_DONTWAIT)},
    [SYS_sendfile] = {AGAIN, SENDS},
    [SYS_splice] = {AGAIN, .timeout = {CALL_SPLICES, 0, -EAGAIN}, NO_WAIT(5, SPLICE_NO_WAIT)},
    [SYS_connect] = {AGAIN, .timeout = {CALL_CONNECTS, 0, -EAGAIN}},

    /* Waits. io_uring_enter fails with EINTR only if it has submitted nothing; otherwise see events_missing. */
    [SYS_epoll_pwait] = {AGAIN, MILLISECONDS(3)},
    [SYS_epoll_pwait2] = {AGAIN, TIMESPEC(3, 0)},
    [SYS_nanosleep] = {AGAIN, TIMESPEC(0, 0)}, /* see call_failure */
    [SYS_clock_nanosleep] = {AGAIN, TIMESPEC(2, 0), .absolute = {1, TIMER_ABSTIME}},
    [SYS_futex] = {TIMESPEC(3, -ETIMEDOUT), .absolute = {1, (uint32_t)FUTEX_CMD_MASK}}, /* all but FUTEX_WAIT */
    [SYS_rt_sigtimedwait] = {AGAIN, TIMESPEC(2, -EAGAIN)},
    /* The kernel writes the remaining time into the program's memory and restarts these. If it cannot write, or the
     * process has the personality STICKY_TIMEOUTS, they fail with EINTR. */
    [SYS_ppoll] = {AGAIN, TIMESPEC(2, 0)},
    [SYS_pselect6] = {AGAIN, TIMESPEC(4, 0), .selects = true},
    ALWAYS(semop),
    [SYS_semtimedop] = {AGAIN, TIMESPEC(3, -EAGAIN)},
    [SYS_io_getevents] = {AGAIN, TIMESPEC(4, 0), .transfer = ARCH_EVENTS},
    [SYS_io_pgetevents] = {AGAIN, TIMESPEC(4, 0), .transfer = ARCH_EVENTS},
    [SYS_io_uring_enter] = {AGAIN, .timeout = {CALL_OF_RING, 4, -ETIME}, .transfer = ARCH_EVENTS},

    /* Long work. fallocate may allocate again what is allocated, but must not move data twice. */
    [SYS_fallocate] = {EXCEPT(1, FALLOC_FL_COLLAPSE_RANGE | FALLOC_FL_INSERT_RANGE),
                       .starts_over = TIMES_WITH_PROGRESS},
    [SYS_swapoff] = {AGAIN, .starts_over = TIMES_WITH_PROGRESS},
    [SYS_bpf] = {AGAIN, .starts_over = TIMES}, /* see call_is_repeatable */
    ALWAYS(ioctl),                             /* see repeatable_ioctl */
    [SYS_getrandom] = {.transfer = ARCH_RANDOM},

    /* The server of a file system (FUSE) is notified of the interruption, and may let the call fail with EINTR. Calls
     * that create, remove or rename are not repeated: the server may already have done the work. */
    [SYS_openat] = {EXCEPT(2, O_EXCL)},
    [SYS_pread64] = {AGAIN, .transfer = ARCH_READ},
    /* clang-format off */
    ALWAYS(statx), ALWAYS(newfstatat), ALWAYS(fstat), ALWAYS(statfs), ALWAYS(fstatfs), ALWAYS(faccessat),
    ALWAYS(faccessat2), ALWAYS(readlinkat), ALWAYS(getdents64), ALWAYS(getxattr), ALWAYS(lgetxattr),
    ALWAYS(fgetxattr), ALWAYS(listxattr), ALWAYS(llistxattr), ALWAYS(flistxattr), ALWAYS(fchmodat), ALWAYS(fchmod),
    ALWAYS(fchownat), ALWAYS(fchown), ALWAYS(utimensat), ALWAYS(truncate), ALWAYS(ftruncate), ALWAYS(chdir),
    ALWAYS(execve), ALWAYS(lseek), ALWAYS(preadv), ALWAYS(pwrite64), ALWAYS(pwritev), ALWAYS(fsync), ALWAYS(fdatasync),
#ifdef SYS_open /* calls that newer architectures lack */
    [SYS_open] = {EXCEPT(1, O_EXCL)}, ALWAYS(creat), ALWAYS(stat), ALWAYS(lstat), ALWAYS(access), ALWAYS(readlink),
    ALWAYS(getdents), ALWAYS(chmod), ALWAYS(chown), ALWAYS(lchown),
    [SYS_epoll_wait] = {AGAIN, MILLISECONDS(3)}, [SYS_poll] = {MILLISECONDS(2)},
    [SYS_select] = {AGAIN, TIMEVAL(4), .selects = true},
#endif
    /* clang-format on */
};

const struct call_rules *call_rules(const struct arch_registers *registers)
{
    static const struct call_rules none;
    int number = arch_syscall(registers);
    return number >= 0 && number < (int)(sizeof table / sizeof *table) ? &table[number] : &none;
}

bool call_has(const struct arch_registers *registers, struct call_bits bits)
{
    return call_argument(registers, bits.argument) & bits.bits;
}
