/* SPDX-License-Identifier: MIT
 *
 * Makes stopped threads of 64-bit programs execute system calls for the tracer. */
#include "common/arch/arch.h"

#include "common/arch/call.h"
#include "common/arch/machine.h"
#include "common/arch/x86_64/i386.h"

enum { LEAVE = 0xc9, POP_RBP = 0x5d, XOR = 0x31, REX_BOTH = 0x45, RET = 0xc3, RSP = 4, RBP = 5 };

/* Returns true if CODE clears a register, except the stack and frame pointers, by an xor with itself. Sets *SIZE to its
 * length. */
static bool clears_register(const unsigned char *code, size_t left, size_t *size)
{
    bool high = left && code[0] == REX_BOTH; /* r8 to r15 */
    const unsigned char * xor = code + high;
    if (left < 2 + (size_t)high || xor[0] != XOR || xor[1] >> 6 != 3)
        return false;
    unsigned from = xor[1] >> 3 & 7, to = xor[1] & 7;
    *size = 2 + (size_t)high;
    return from == to && (high || (to != RSP && to != RBP));
}

/* Returns how the code after a system call instruction returns. Functions of the vDSO that use a system call have such
 * code. */
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
    for (size_t i = 0; i + ARCH_SYSCALL_BYTES <= size; i++) {
        if (code[i] != 0x0f || code[i + 1] != 0x05)
            continue;
        enum arch_back back = way_back(code + i + ARCH_SYSCALL_BYTES, size - i - ARCH_SYSCALL_BYTES);
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
    if (registers->is_compat) {
        i386_trail(registers, trail);
        return;
    }
    *trail = (struct arch_trail){
        .address = registers->user.rsp - sizeof trail->words,
        .words = {registers->user.rbp, registers->user.rip},
    };
}

void arch_send(struct arch_registers *registers, const struct arch_site *site, const struct arch_call *call)
{
    struct user_regs_struct *user = &registers->user;
    uint64_t stack = user->rsp;
    if (registers->is_compat) {
        i386_send(registers, site, call);
        return;
    }
    if (site->back != ARCH_NO_WAY_BACK)
        user->rsp = stack - (site->back == ARCH_BACK_BY_RETURN ? 8 : 16);
    if (site->back == ARCH_BACK_BY_LEAVE)
        user->rbp = stack - 16;
    user->rip = site->address;
    user->orig_rax = (unsigned long long)-1;
    user->rax = (unsigned long long)call->number;
    call_set_arguments(registers, call);
}

bool arch_enters(const struct arch_registers *registers, const struct arch_site *site, const struct arch_call *call)
{
    return arch_syscall(registers) == call->number && arch_pc(registers) == site->address + ARCH_SYSCALL_BYTES;
}
