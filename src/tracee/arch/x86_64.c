/* SPDX-License-Identifier: MIT */
#include "tracee/arch/arch.h"

#include "model/gate.h"

#include <errno.h>
#include <sys/syscall.h>

/* An instruction "syscall" or "int $0x80" has two bytes. */
enum { SYSCALL_BYTES = 2 };

bool arch_registers_native(size_t size)
{
    return size == sizeof(struct user_regs_struct);
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

int arch_syscall(const struct arch_registers *registers)
{
    /* -1 in user code and after faults; the kernel sets it at the entry of every system call. */
    int64_t number = (int64_t)registers->user.orig_rax;
    return number >= 0 && number < 1 << 20 ? (int)number : -1;
}

/* Calls that fail with EINTR at any stop and change nothing when they do, so that entering them again is the same as
 * not having been stopped. The transfers are here because of SO_RCVTIMEO and SO_SNDTIMEO; without a timeout the kernel
 * restarts them and this state is not seen. */
static bool repeatable(int number)
{
    switch (number) {
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
    case SYS_accept:
    case SYS_accept4:
    case SYS_read:
    case SYS_readv:
    case SYS_write:
    case SYS_writev:
        return true;
    default:
        return false;
    }
}

bool arch_mend(struct arch_registers *registers)
{
    if ((int64_t)registers->user.rax != -EINTR || !repeatable(arch_syscall(registers)))
        return false;
    registers->user.rax = registers->user.orig_rax;
    registers->user.rip -= SYSCALL_BYTES;
    return true;
}

bool arch_unmend(struct arch_registers *registers, const struct arch_registers *mended)
{
    if (registers->user.rip != mended->user.rip || registers->user.rax != mended->user.rax ||
        registers->user.orig_rax != mended->user.orig_rax || registers->user.rsp != mended->user.rsp)
        return false;
    registers->user.rax = (unsigned long long)-EINTR;
    registers->user.rip += SYSCALL_BYTES;
    return true;
}

bool arch_gate(const struct arch_registers *registers, uint64_t *address)
{
    int number = arch_syscall(registers);
    if (registers->user.r8 != GATE_MAGIC || (number != SYS_tgkill && number != SYS_rt_sigprocmask))
        return false;
    *address = registers->user.r9;
    return true;
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
}

void arch_set_result(struct arch_registers *registers, int64_t result)
{
    registers->user.rax = (unsigned long long)result;
}

int64_t arch_result(const struct arch_registers *registers)
{
    return (int64_t)registers->user.rax;
}

enum { LEAVE = 0xc9, POP_RBP = 0x5d, XOR = 0x31, REX_BOTH = 0x45, RET = 0xc3, RSP = 4, RBP = 5 };

/* True if CODE clears a register other than the stack's and the frame's: xor of one with itself. *SIZE: its length. */
static bool clears_register(const unsigned char *code, size_t left, size_t *size)
{
    bool high = left && code[0] == REX_BOTH; /* r8 to r15 */
    const unsigned char *xor = code + high;
    if (left < 2 + (size_t)high || xor[0] != XOR || xor[1] >> 6 != 3)
        return false;
    unsigned from = xor[1] >> 3 & 7, to = xor[1] & 7;
    *size = 2 + (size_t)high;
    return from == to && (high || (to != RSP && to != RBP));
}

/* How the code behind a system call instruction returns. Functions of the vDSO that fall back to the system call do. */
static enum arch_back way_back(const unsigned char *code, size_t size)
{
    size_t at = 0, length;
    enum arch_back back = ARCH_BACK_BY_RETURN;
    if (size && (code[0] == LEAVE || code[0] == POP_RBP)) {
        back = code[0] == LEAVE ? ARCH_BACK_BY_LEAVE : ARCH_BACK_BY_FRAME;
        at = 1;
    }
    while (clears_register(code + at, size - at, &length))
        at += length;
    return at < size && code[at] == RET ? back : ARCH_NO_WAY_BACK;
}

bool arch_find_site(const unsigned char *code, size_t size, uint64_t address, struct arch_site *site)
{
    bool found = false;
    for (size_t i = 0; i + SYSCALL_BYTES <= size; i++) {
        if (code[i] != 0x0f || code[i + 1] != 0x05)
            continue;
        enum arch_back back = way_back(code + i + SYSCALL_BYTES, size - i - SYSCALL_BYTES);
        if (found && back == ARCH_NO_WAY_BACK)
            continue;
        *site = (struct arch_site){.address = address + i, .back = back};
        found = true;
        if (back != ARCH_NO_WAY_BACK)
            break;
    }
    return found;
}

void arch_trail(const struct arch_registers *registers, struct arch_trail *trail)
{
    *trail = (struct arch_trail){
        .address = registers->user.rsp - sizeof trail->words,
        .words = {registers->user.rbp, registers->user.rip},
    };
}

void arch_send(struct arch_registers *registers, const struct arch_site *site, const struct arch_call *call)
{
    struct user_regs_struct *user = &registers->user;
    uint64_t stack = user->rsp;
    if (site->back != ARCH_NO_WAY_BACK)
        user->rsp = stack - (site->back == ARCH_BACK_BY_RETURN ? 8 : 16);
    if (site->back == ARCH_BACK_BY_LEAVE)
        user->rbp = stack - 16;
    user->rip = site->address;
    user->orig_rax = (unsigned long long)-1;
    user->rax = (unsigned long long)call->number;
    user->rdi = call->arguments[0];
    user->rsi = call->arguments[1];
    user->rdx = call->arguments[2];
    user->r10 = call->arguments[3];
    user->r8 = call->arguments[4];
    user->r9 = call->arguments[5];
}

bool arch_enters(const struct arch_registers *registers, const struct arch_site *site, const struct arch_call *call)
{
    return arch_syscall(registers) == call->number && arch_pc(registers) == site->address + SYSCALL_BYTES;
}
