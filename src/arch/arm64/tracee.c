/* SPDX-License-Identifier: MIT */
#include "arch/arch.h"

#include "arch/machine.h"
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

/* Results that a signal or a stop makes the kernel give a call that it is going to restart. They are seen at the end of
 * a call (system-call-stop) only: at other stops the kernel has put things back already. */
enum { ERESTART_FIRST = 512, ERESTART_LAST = 516 };

enum { MAKE_CALL = 0xd4000001u /* svc #0 */, HIGHEST_CALL = 1024 };

/* The number of a call is in x8, its result where its first argument was. The kind of branch that led to an
 * instruction, in PSTATE, is to be none where a thread is put. */
enum { NUMBER = 8 };
#define BRANCH_KIND ((uint64_t)3 << 10)

bool arch_registers_received(struct arch_registers *registers, size_t size)
{
    registers->is_narrow = 0;
    return size == sizeof registers->user;
}

size_t arch_lacks_packed(const struct arch_registers *registers, uint64_t *address)
{
    (void)registers;
    (void)address;
    return 0;
}

void arch_set_packed(struct arch_registers *registers, const uint32_t words[static ARCH_PACKED_MOST])
{
    (void)registers;
    (void)words;
}

size_t arch_registers_to_send(struct arch_registers *registers)
{
    return sizeof registers->user;
}

int32_t arch_syscall_of(int32_t number, bool narrow)
{
    (void)narrow;
    return number;
}

bool arch_lacks_code(struct arch_registers *registers, uint64_t *address)
{
    registers->where = ARCH_NO_CALL;
    registers->argument_known = false;
    registers->argument = 0;
    *address = registers->user.pc - ARCH_SYSCALL_BYTES;
    return arch_unmarked(registers->user.regs[NUMBER]) < HIGHEST_CALL;
}

void arch_set_code(struct arch_registers *registers, uint64_t words)
{
    if ((uint32_t)words == MAKE_CALL)
        registers->where = ARCH_BEHIND_CALL;
    else if (words >> 32 == MAKE_CALL)
        registers->where = ARCH_BEFORE_CALL;
}

uint64_t arch_pc(const struct arch_registers *registers)
{
    return registers->user.pc;
}

uint64_t arch_sp(const struct arch_registers *registers)
{
    return registers->user.sp;
}

/* It is not among these registers. */
uint64_t arch_thread_pointer(const struct arch_registers *registers)
{
    (void)registers;
    return 0;
}

/* Below it the GNU C library has the list of a thread's robust mutexes, a ring that begins empty: a pointer to the
 * next word, which has its own address. Few threads ever have one. */
uint64_t arch_find_thread_pointer(const void *bytes, size_t size, uint64_t address)
{
    uint64_t words[2];
    for (size_t at = (8 - address % 8) % 8; at + sizeof words <= size; at += sizeof *words) {
        memcpy(words, (const char *)bytes + at, sizeof words);
        if (words[0] == address + at + sizeof *words && words[1] == words[0])
            return address + at;
    }
    return 0;
}

void arch_set_blocked(struct arch_registers *registers, uint64_t pc, uint64_t sp, bool narrow)
{
    (void)narrow;
    memset(registers, 0, sizeof *registers);
    registers->user.pc = pc;
    registers->user.sp = sp;
}

int arch_syscall(const struct arch_registers *registers)
{
    return registers->where == ARCH_NO_CALL ? -1 : (int)(uint32_t)registers->user.regs[NUMBER];
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
 * not having been stopped: as on x86-64, which has more of them. Of bpf the first argument must be known, too. */
static bool repeatable(const struct arch_registers *registers)
{
    const unsigned long long *regs = registers->user.regs;
    switch (arch_syscall(registers)) {
    case SYS_ioctl:
        return repeatable_ioctl((unsigned)regs[1], (int)regs[2]);
    case SYS_fallocate: /* again what is allocated already, but not what has been moved */
        return !(regs[1] & (FALLOC_FL_COLLAPSE_RANGE | FALLOC_FL_INSERT_RANGE));
    case SYS_swapoff:
    case SYS_bpf:
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
    return arch_syscall(registers) == SYS_bpf ? -EAGAIN : -EINTR;
}

static bool has_failed(const struct arch_registers *registers)
{
    return registers->where == ARCH_BEHIND_CALL && arch_result(registers) == failure_of(registers) &&
           repeatable(registers);
}

/* As on x86-64. */
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

/* Before a call whose first try comes yet it makes no difference. */
bool arch_restarts(const struct arch_registers *registers)
{
    return registers->where == ARCH_BEFORE_CALL;
}

/* Puts a thread that is behind a call before it. */
static void put_before(struct arch_registers *registers, uint64_t argument)
{
    registers->user.regs[0] = argument;
    registers->user.regs[NUMBER] = arch_unmarked(registers->user.regs[NUMBER]);
    registers->user.pc -= ARCH_SYSCALL_BYTES;
    registers->where = ARCH_BEFORE_CALL;
}

bool arch_mend(struct arch_registers *registers)
{
    if (!has_failed(registers) || !registers->argument_known ||
        (arch_syscall(registers) == SYS_bpf && registers->argument != BPF_PROG_LOAD))
        return false;
    put_before(registers, registers->argument);
    return true;
}

/* True if a thread has come no further than AHEAD, where it was put before a call's instruction, or the kernel has put
 * it back there. */
static bool same_place(const struct arch_registers *now, const struct arch_registers *ahead)
{
    return now->user.pc == ahead->user.pc && now->user.sp == ahead->user.sp &&
           now->user.regs[0] == ahead->user.regs[0] && now->user.regs[NUMBER] == ahead->user.regs[NUMBER];
}

bool arch_unmend(struct arch_registers *registers, const struct arch_registers *mended)
{
    if (!same_place(registers, mended))
        return false;
    arch_set_result(registers, failure_of(mended));
    registers->user.pc += ARCH_SYSCALL_BYTES;
    registers->where = ARCH_BEHIND_CALL;
    return true;
}

/* The kernel transfers no more than this at once, whatever it is asked for. */
enum { MOST_AT_ONCE = 0x7ffff000 };

static uint64_t wanted(const struct arch_registers *registers)
{
    uint64_t count = registers->user.regs[arch_syscall(registers) == SYS_getrandom ? 1 : 2];
    return count < MOST_AT_ONCE ? count : MOST_AT_ONCE;
}

bool arch_forks(int32_t number)
{
    return number == SYS_clone || number == SYS_clone3;
}

static enum arch_transfer kind_of(const struct arch_registers *registers)
{
    switch (arch_syscall(registers)) {
    case SYS_write:
        return ARCH_WRITE;
    case SYS_sendto: /* not with flags that ask for less, or for more than the bytes */
        return registers->user.regs[3] & ~(uint64_t)MSG_NOSIGNAL ? ARCH_WHOLE : ARCH_WRITE;
    case SYS_read:
    case SYS_pread64:
        return ARCH_READ;
    case SYS_getrandom:
        return ARCH_RANDOM;
    default:
        return ARCH_WHOLE;
    }
}

static bool is_short(const struct arch_registers *registers)
{
    int64_t done = arch_result(registers);
    return registers->where == ARCH_BEHIND_CALL && done > 0 && (uint64_t)done < wanted(registers);
}

bool arch_lacks_argument(const struct arch_registers *registers)
{
    return has_failed(registers) || (is_short(registers) && kind_of(registers) != ARCH_WHOLE);
}

/* Some kernels tell what is in the register: the result. If the argument is the same by chance, it is not known,
 * either.
 */
void arch_set_argument(struct arch_registers *registers, uint64_t argument)
{
    if ((int64_t)argument == arch_result(registers))
        return;
    registers->argument = argument;
    registers->argument_known = true;
}

enum arch_transfer arch_transfer(const struct arch_registers *registers, int *fd)
{
    if (!is_short(registers) || !registers->argument_known)
        return ARCH_WHOLE;
    *fd = (int)registers->argument;
    return kind_of(registers);
}

void arch_enter_rest(struct arch_registers *registers, bool quietly)
{
    unsigned long long *regs = registers->user.regs;
    uint64_t done = regs[0], left = wanted(registers) - done;
    int number = arch_syscall(registers);
    put_before(registers, registers->argument);
    if (number == SYS_getrandom) {
        regs[0] += done;
        regs[1] = left;
    } else {
        regs[1] += done;
        regs[2] = left;
    }
    if (!quietly)
        return;
    if (number == SYS_write)
        regs[3] = regs[4] = regs[5] = 0;
    regs[3] |= MSG_NOSIGNAL;
    regs[NUMBER] = SYS_sendto;
}

enum arch_rest arch_rest(const struct arch_registers *now, const struct arch_registers *before, bool quietly)
{
    struct arch_registers ahead = *before;
    arch_enter_rest(&ahead, quietly);
    if (now->user.regs[1] != ahead.user.regs[1] || now->user.regs[2] != ahead.user.regs[2])
        return ARCH_REST_ELSEWHERE;
    if (same_place(now, &ahead))
        return ARCH_REST_AHEAD;
    bool inside = now->user.regs[NUMBER] == ahead.user.regs[NUMBER] && now->user.pc == before->user.pc &&
                  now->user.sp == before->user.sp;
    return inside ? ARCH_REST_INSIDE : ARCH_REST_ELSEWHERE;
}

bool arch_sum(struct arch_registers *now, const struct arch_registers *before)
{
    int64_t part = arch_result(now);
    bool interrupted = part == -EINTR || (part <= -ERESTART_FIRST && part >= -ERESTART_LAST);
    *now = *before;
    now->user.regs[0] += part > 0 ? (uint64_t)part : 0;
    return (part > 0 || interrupted) && now->user.regs[0] < wanted(now);
}

bool arch_gate(const struct arch_registers *registers, uint64_t *address)
{
    int number = arch_syscall(registers);
    if (registers->user.regs[4] != GATE_MAGIC || (number != SYS_tgkill && number != SYS_rt_sigprocmask))
        return false;
    *address = registers->user.regs[5];
    return true;
}

/* There are no stubs here (arch/detour.h). */
struct gate_request arch_stub_request(const struct arch_registers *registers)
{
    (void)registers;
    return (struct gate_request){0};
}

void arch_gate_answer(struct arch_registers *registers, int64_t result)
{
    arch_set_result(registers, result);
    registers->user.regs[4] = GATE_SERVED;
}

bool arch_gate_unblocks(const struct arch_registers *registers)
{
    return arch_syscall(registers) == SYS_rt_sigprocmask;
}

void arch_arguments(const struct arch_registers *registers, uint64_t arguments[static ARCH_ARGUMENTS])
{
    for (size_t i = 0; i < ARCH_ARGUMENTS; i++)
        arguments[i] = registers->user.regs[i];
}

void arch_set_pc(struct arch_registers *registers, uint64_t pc)
{
    registers->user.pc = pc;
    registers->user.pstate &= ~BRANCH_KIND;
    registers->where = ARCH_NO_CALL;
}

void arch_set_result(struct arch_registers *registers, int64_t result)
{
    registers->user.regs[0] = (unsigned long long)result;
}

int64_t arch_result(const struct arch_registers *registers)
{
    return (int64_t)registers->user.regs[0];
}
