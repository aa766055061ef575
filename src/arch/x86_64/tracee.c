/* SPDX-License-Identifier: MIT */
#include "arch/arch.h"

#include "arch/machine.h"
#include "arch/x86_64/i386.h"
#include "model/gate.h"

#include <asm/termbits.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/falloc.h>
#include <linux/vt.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

/* Results that a signal or a stop makes the kernel give a call that it is going to restart. */
enum { ERESTART_FIRST = 512, ERESTART_LAST = 516 };

/* The kernel keeps the number of the call that a thread was stopped in. */
bool arch_lacks_code(struct arch_registers *registers, uint64_t *address)
{
    (void)registers;
    (void)address;
    return false;
}

void arch_set_code(struct arch_registers *registers, uint64_t words)
{
    (void)registers;
    (void)words;
}

bool arch_lacks_argument(const struct arch_registers *registers)
{
    (void)registers;
    return false;
}

void arch_set_argument(struct arch_registers *registers, uint64_t argument)
{
    (void)registers;
    (void)argument;
}

uint64_t arch_pc(const struct arch_registers *registers)
{
    return registers->user.rip;
}

uint64_t arch_sp(const struct arch_registers *registers)
{
    return registers->user.rsp;
}

uint64_t arch_thread_pointer(const struct arch_registers *registers)
{
    return registers->user.fs_base;
}

/* %fs:0 holds its own address, by the ABI, and so does %fs:16 of the GNU C library. */
uint64_t arch_find_thread_pointer(const void *bytes, size_t size, uint64_t address)
{
    enum { SELF = 16 };
    uint64_t header, self;
    for (size_t at = (8 - address % 8) % 8; at + SELF + sizeof self <= size; at += sizeof header) {
        memcpy(&header, (const char *)bytes + at, sizeof header);
        if (header != address + at)
            continue;
        memcpy(&self, (const char *)bytes + at + SELF, sizeof self);
        if (self == header)
            return header;
    }
    return 0;
}

void arch_set_blocked(struct arch_registers *registers, uint64_t pc, uint64_t sp, bool narrow)
{
    memset(registers, 0, sizeof *registers);
    registers->is_narrow = narrow;
    registers->user.rip = pc;
    registers->user.rsp = sp;
    registers->user.orig_rax = (unsigned long long)-1;
}

int arch_syscall(const struct arch_registers *registers)
{
    /* -1 in user code and after faults; the kernel sets it at the entry of every system call. */
    int64_t number = (int64_t)arch_unmarked(registers->user.orig_rax);
    return number >= 0 && number < 1 << 20 ? (int)number : -1;
}

/* They wait until what was written has been sent, or for a console, before they do anything. Those that discard input
 * come first to that, and would discard more. */
static bool repeatable_ioctl(unsigned request, int argument)
{
    switch (request) {
    case TCSBRK:
        return argument != 0; /* tcdrain; else it is a break */
    case TCSETSW:
    case TCSETSW2:
    case TCSETAW:
    case VT_WAITACTIVE:
        return true;
    default:
        return false;
    }
}

/* Calls that fail with EINTR at any stop and change nothing when they do, so that entering them again is the same as
 * not having been stopped. The transfers, accept and connect are here because of SO_RCVTIMEO and SO_SNDTIMEO; without a
 * timeout the kernel restarts them and this state is not seen. A connect that is entered again waits for the connection
 * that it has begun; io_uring_enter fails so only if it has submitted nothing. */
static bool repeatable(const struct arch_registers *registers)
{
    switch (arch_syscall(registers)) {
    case SYS_ioctl:
        return repeatable_ioctl((unsigned)registers->user.rsi, (int)registers->user.rdx);
    case SYS_fallocate: /* again what is allocated already, but not what has been moved */
        return !(registers->user.rsi & (FALLOC_FL_COLLAPSE_RANGE | FALLOC_FL_INSERT_RANGE));
    case SYS_swapoff:
        return true;
    case SYS_bpf:
        return registers->user.rdi == BPF_PROG_LOAD;
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2:
    case SYS_rt_sigtimedwait:
    case SYS_semop:
    case SYS_semtimedop:
    case SYS_io_getevents:
    case SYS_io_pgetevents:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_recvmmsg:
    case SYS_sendmmsg:
    case SYS_splice:
    case SYS_sendfile:
    case SYS_connect:
    case SYS_accept:
    case SYS_accept4:
    case SYS_read:
    case SYS_readv:
    case SYS_preadv2:
    case SYS_write:
    case SYS_writev:
    case SYS_pwritev2:
    case SYS_io_uring_enter:
        return true;
    default:
        return false;
    }
}

/* What a call fails with when it is interrupted: the verifier of BPF programs says that it should be tried again, and
 * nothing else of that call does. */
static int64_t failure_of(const struct arch_registers *registers)
{
    return arch_syscall(registers) == SYS_bpf && registers->user.rdi == BPF_PROG_LOAD ? -EAGAIN : -EINTR;
}

/* What has been allocated, or read back, stays so: a call that is interrupted often comes to its end all the same. A
 * program is verified from its beginning: signals that come faster than that is done come so until they end. */
unsigned arch_starts_over(const struct arch_registers *registers)
{
    enum { TIMES = 20, TIMES_WITH_PROGRESS = 10000 };
    switch (arch_syscall(registers)) {
    case SYS_bpf:
        return TIMES;
    case SYS_fallocate:
    case SYS_swapoff:
        return TIMES_WITH_PROGRESS;
    default:
        return 0;
    }
}

bool arch_restarts(const struct arch_registers *registers)
{
    int64_t result = (int64_t)registers->user.rax;
    return arch_syscall(registers) >= 0 && result <= -ERESTART_FIRST && result >= -ERESTART_LAST;
}

bool arch_mend(struct arch_registers *registers)
{
    if ((int64_t)registers->user.rax != failure_of(registers) || !repeatable(registers))
        return false;
    registers->user.rax = i386_number(registers);
    registers->user.rip -= ARCH_SYSCALL_BYTES;
    return true;
}

/* True if a thread has come no further than AHEAD, where it was put before a call's instruction. If it has returned to
 * user mode since, the number of the call that it was in is gone. */
static bool same_place(const struct arch_registers *now, const struct arch_registers *ahead)
{
    bool same_call = now->user.orig_rax == ahead->user.orig_rax || arch_syscall(now) < 0;
    return same_call && now->user.rip == ahead->user.rip && now->user.rax == ahead->user.rax &&
           now->user.rsp == ahead->user.rsp;
}

/* Before it sleeps, splicing asks whether a signal has come; the kernel would restart it then, though not once it
 * sleeps, and that it did before the mend. */
static bool is_restarted(const struct arch_registers *now, const struct arch_registers *mended)
{
    bool splices = arch_syscall(now) == SYS_splice || arch_syscall(now) == SYS_sendfile;
    return splices && (int64_t)now->user.rax == -ERESTART_FIRST && arch_syscall(now) == arch_syscall(mended) &&
           now->user.rip == mended->user.rip + ARCH_SYSCALL_BYTES && now->user.rsp == mended->user.rsp;
}

bool arch_unmend(struct arch_registers *registers, const struct arch_registers *mended)
{
    if (is_restarted(registers, mended)) {
        registers->user.rax = (unsigned long long)failure_of(mended);
        return true;
    }
    if (!same_place(registers, mended))
        return false;
    registers->user.rax = (unsigned long long)failure_of(mended);
    registers->user.rip += ARCH_SYSCALL_BYTES;
    return true;
}

/* The kernel transfers no more than this at once, whatever it is asked for. */
enum { MOST_AT_ONCE = 0x7ffff000 };

static uint64_t wanted(const struct arch_registers *registers)
{
    uint64_t count = arch_syscall(registers) == SYS_getrandom ? registers->user.rsi : registers->user.rdx;
    return count < MOST_AT_ONCE ? count : MOST_AT_ONCE;
}

bool arch_forks(int32_t number)
{
    return number == SYS_fork || number == SYS_vfork || number == SYS_clone || number == SYS_clone3;
}

static enum arch_transfer kind_of(const struct arch_registers *registers)
{
    switch (arch_syscall(registers)) {
    case SYS_write:
        return ARCH_WRITE;
    case SYS_sendto: /* not with flags that ask for less, or for more than the bytes */
        return registers->user.r10 & ~(uint64_t)MSG_NOSIGNAL ? ARCH_WHOLE : ARCH_WRITE;
    case SYS_read:
    case SYS_pread64:
        return ARCH_READ;
    case SYS_getrandom:
        return ARCH_RANDOM;
    default:
        return ARCH_WHOLE;
    }
}

enum arch_transfer arch_transfer(const struct arch_registers *registers, int *fd)
{
    int64_t done = (int64_t)registers->user.rax;
    if (done <= 0 || i386_packed(registers) || (uint64_t)done >= wanted(registers))
        return ARCH_WHOLE;
    *fd = (int)registers->user.rdi;
    return kind_of(registers);
}

void arch_enter_rest(struct arch_registers *registers, bool quietly)
{
    struct user_regs_struct *user = &registers->user;
    uint64_t done = user->rax, left = wanted(registers) - done;
    int number = arch_syscall(registers);
    if (number == SYS_getrandom) {
        user->rdi += done;
        user->rsi = left;
    } else {
        user->rsi += done;
        user->rdx = left;
    }
    user->rax = i386_number(registers);
    if (quietly) {
        if (number == SYS_write)
            user->r10 = user->r8 = user->r9 = 0;
        user->r10 |= MSG_NOSIGNAL;
        user->rax = registers->is_narrow ? I386_SENDTO : SYS_sendto;
    }
    i386_take_arguments(registers);
    user->rip -= ARCH_SYSCALL_BYTES;
}

enum arch_rest arch_rest(const struct arch_registers *now, const struct arch_registers *before, bool quietly)
{
    struct arch_registers ahead = *before;
    arch_enter_rest(&ahead, quietly);
    if (now->user.rdi != ahead.user.rdi || now->user.rsi != ahead.user.rsi || now->user.rdx != ahead.user.rdx)
        return ARCH_REST_ELSEWHERE;
    if (same_place(now, &ahead))
        return ARCH_REST_AHEAD;
    bool inside =
        i386_number(now) == ahead.user.rax && now->user.rip == before->user.rip && now->user.rsp == before->user.rsp;
    return inside ? ARCH_REST_INSIDE : ARCH_REST_ELSEWHERE;
}

bool arch_sum(struct arch_registers *now, const struct arch_registers *before)
{
    int64_t part = (int64_t)now->user.rax;
    bool interrupted = part == -EINTR || (part <= -ERESTART_FIRST && part >= -ERESTART_LAST);
    *now = *before;
    now->user.rax += part > 0 ? (uint64_t)part : 0;
    return (part > 0 || interrupted) && now->user.rax < wanted(now);
}

bool arch_gate(const struct arch_registers *registers, uint64_t *address)
{
    int number = arch_syscall(registers);
    if (registers->is_narrow || registers->user.r8 != GATE_MAGIC ||
        (number != SYS_tgkill && number != SYS_rt_sigprocmask))
        return false;
    *address = registers->user.r9;
    return true;
}

struct gate_request arch_stub_request(const struct arch_registers *registers)
{
    const struct user_regs_struct *user = &registers->user;
    return (struct gate_request){GATE_MAGIC, user->r9, {user->rbx, user->rbp, user->r12, user->r13}};
}

void arch_gate_answer(struct arch_registers *registers, int64_t result)
{
    registers->user.rax = (unsigned long long)result;
    registers->user.r8 = GATE_SERVED;
}

bool arch_gate_unblocks(const struct arch_registers *registers)
{
    return arch_syscall(registers) == SYS_rt_sigprocmask;
}

void arch_arguments(const struct arch_registers *registers, uint64_t arguments[static ARCH_ARGUMENTS])
{
    arguments[0] = registers->user.rdi;
    arguments[1] = registers->user.rsi;
    arguments[2] = registers->user.rdx;
    arguments[3] = registers->user.rcx;
}

void arch_set_pc(struct arch_registers *registers, uint64_t pc)
{
    registers->user.rip = pc;
    registers->user.orig_rax = (unsigned long long)-1;
    if (registers->is_narrow)
        registers->user.r15 = registers->user.orig_rax;
}

void arch_set_result(struct arch_registers *registers, int64_t result)
{
    registers->user.rax = (unsigned long long)result;
}

int64_t arch_result(const struct arch_registers *registers)
{
    return (int64_t)registers->user.rax;
}
