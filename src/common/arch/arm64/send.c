/* SPDX-License-Identifier: MIT
 *
 * Makes stopped arm64 threads execute system calls for the tracer. */
#include "common/arch/arch.h"

#include "common/arch/call.h"
#include "common/arch/machine.h"

#include <string.h>

enum { MAKE_CALL = 0xd4000001u /* svc #0 */, RETURN = 0xd65f03c0u /* ret */, LINK = 30, NUMBER = 8 };

static uint32_t word_at(const unsigned char *code)
{
    uint32_t word;
    memcpy(&word, code, sizeof word);
    return word;
}

bool arch_find_site(const unsigned char *code, size_t size, uint64_t address, struct arch_site *site)
{
    bool found = false;
    for (size_t i = 0; i + ARCH_SYSCALL_BYTES <= size; i += ARCH_SYSCALL_BYTES) {
        size_t next = i + ARCH_SYSCALL_BYTES;
        if (word_at(code + i) != MAKE_CALL)
            continue;
        bool returns = next + ARCH_SYSCALL_BYTES <= size && word_at(code + next) == RETURN;
        if (found && !returns)
            continue;
        *site = (struct arch_site){.address = address + i, .back = returns ? ARCH_BACK_BY_RETURN : ARCH_NO_WAY_BACK};
        found = true;
        if (returns)
            break;
    }
    return found;
}

/* The return address is in a register, and nothing is below the stack pointer. */
void arch_trail(const struct arch_registers *registers, struct arch_trail *trail)
{
    *trail = (struct arch_trail){.address = registers->user.sp - sizeof trail->words};
}

void arch_send(struct arch_registers *registers, const struct arch_site *site, const struct arch_call *call)
{
    uint64_t from = registers->user.pc;
    arch_set_pc(registers, site->address);
    if (site->back != ARCH_NO_WAY_BACK)
        registers->user.regs[LINK] = from;
    registers->user.regs[NUMBER] = (unsigned long long)call->number;
    call_set_arguments(registers, call);
}

bool arch_enters(const struct arch_registers *registers, const struct arch_site *site, const struct arch_call *call)
{
    return arch_syscall(registers) == call->number && arch_pc(registers) == site->address + ARCH_SYSCALL_BYTES;
}
