/* SPDX-License-Identifier: MIT */
#include "programs/unwind/unwind.h"

#include <string.h>
#include <ucontext.h>

enum { SIGNAL_INFO = 128 /* bytes, before the context */ };

#define KEPT(number) (enum unwind_register)(UNWIND_X19 + (number))

const enum unwind_register unwind_kept[UNWIND_KEPT] = {
    KEPT(0), KEPT(1), KEPT(2), KEPT(3), KEPT(4), KEPT(5), KEPT(6), KEPT(7), KEPT(8), KEPT(9), UNWIND_FP, UNWIND_LINK,
};

int unwind_compat_register(uint64_t number)
{
    (void)number;
    return -1;
}

uint64_t unwind_signal_place(enum unwind_register number, enum unwind_code_kind kind)
{
    (void)kind;
    uint64_t place = number == UNWIND_PC   ? offsetof(ucontext_t, uc_mcontext.pc)
                     : number == UNWIND_SP ? offsetof(ucontext_t, uc_mcontext.sp)
                                           : offsetof(ucontext_t, uc_mcontext.regs) + (uint64_t)number * sizeof place;
    return SIGNAL_INFO + place;
}

void unwind_registers_set(struct unwind_registers *registers, const struct user_regs_struct *user, bool compat)
{
    registers->is_compat = compat;
    registers->known = (UINT64_C(1) << UNWIND_REGISTERS) - 1;
    memcpy(registers->value, user->regs, sizeof user->regs);
    registers->value[UNWIND_SP] = user->sp;
    registers->value[UNWIND_PC] = user->pc;
}
