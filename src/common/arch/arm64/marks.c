/* SPDX-License-Identifier: MIT
 *
 * Marks on restarted calls in arm64 registers. */
#include "common/arch/arch.h"

#include "common/arch/arm64/restart.h"
#include "common/arch/call.h"
#include "common/arch/machine.h"

enum { NUMBER = 8, DIRECTION = 7 };

/* Another mark in the same bits: with it, a stop finds no call. */
#define LEFT ((uint64_t)0x70747067 << 32)

/* The mark stays in the register when the call returns. Code that makes another call sets the whole register. */
void arch_mark(struct arch_registers *restarted)
{
    restarted->user.regs[NUMBER] = call_marked(restarted->user.regs[NUMBER]);
}

bool arch_takes_mark(const struct arch_registers *registers)
{
    (void)registers;
    return true;
}

bool arch_is_marked(const struct arch_registers *registers)
{
    return registers->where != ARCH_NO_CALL && call_is_marked(registers->user.regs[NUMBER]);
}

void restart_mark_left(struct arch_registers *registers)
{
    registers->user.regs[NUMBER] = (uint32_t)registers->user.regs[NUMBER] | LEFT;
    registers->where = ARCH_NO_CALL;
    registers->is_ahead = false;
}

bool arch_set_handled(struct arch_registers *registers)
{
    if (!restart_looks_ended(registers))
        return false;
    restart_mark_left(registers);
    return true;
}

bool arch_waits_again(const struct arch_registers *restarted, int number, uint64_t pc, uint64_t sp)
{
    return arch_unmarked(restarted->user.regs[NUMBER]) == (uint64_t)number &&
           restarted->user.pc + ARCH_SYSCALL_BYTES == pc && restarted->user.sp == sp;
}

/* At the entry and the exit of a call, and at no other stop, a register shows which of the two it is. */
bool arch_enters_call(const struct arch_registers *registers)
{
    return registers->user.regs[DIRECTION] == 0;
}
