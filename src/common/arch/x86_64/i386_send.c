/* SPDX-License-Identifier: MIT
 *
 * Makes threads of 32-bit programs execute system calls for us. */
#include "common/arch/arch.h"
#include "common/arch/call.h"
#include "common/arch/x86_64/i386.h"

#include <string.h>

enum { TRAIL_BYTES = 4 * sizeof(uint32_t) };

/* The vDSO's function for system calls ends in this code: int $0x80; pop %ebp; pop %edx; pop %ecx; ret */
bool arch_find_site_compat(const unsigned char *code, size_t size, uint64_t address, struct arch_site *site)
{
    static const unsigned char call_and_return[] = {0xcd, 0x80, 0x5d, 0x5a, 0x59, 0xc3};
    bool found = false;
    for (size_t i = 0; i + ARCH_SYSCALL_BYTES <= size; i++) {
        bool returns = size - i >= sizeof call_and_return && !memcmp(code + i, call_and_return, sizeof call_and_return);
        if (memcmp(code + i, call_and_return, ARCH_SYSCALL_BYTES) != 0 || (found && !returns))
            continue;
        *site = (struct arch_site){address + i, returns ? ARCH_BACK_BY_POPS : ARCH_NO_WAY_BACK};
        found = true;
        if (returns)
            break;
    }
    return found;
}

/* The words are ebp, edx, ecx and the return address. */
void i386_trail(const struct arch_registers *registers, struct arch_trail *trail)
{
    const struct user_regs_struct *user = &registers->user;
    *trail = (struct arch_trail){
        .address = user->rsp - TRAIL_BYTES,
        .words = {user->r14 << 32 | (uint32_t)user->rbp, user->rip << 32 | (uint32_t)user->rcx},
    };
}

/* Returns the newest of several equivalent calls. */
static uint64_t number_of(int32_t native)
{
    int32_t number = ARCH_SYSCALL_NAMES - 1;
    while (number >= 0 && i386_native(number) != native)
        number--;
    return (uint64_t)number;
}

void i386_send(struct arch_registers *registers, const struct arch_site *site, const struct arch_call *call)
{
    struct user_regs_struct *user = &registers->user;
    if (site->back == ARCH_BACK_BY_POPS)
        user->rsp -= TRAIL_BYTES;
    arch_set_pc(registers, site->address);
    user->rax = number_of(call->number);
    call_set_arguments(registers, call);
}
