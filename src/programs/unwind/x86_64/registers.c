/* SPDX-License-Identifier: MIT */
#include "programs/unwind/unwind.h"

#include <ucontext.h>

const enum unwind_register unwind_kept[UNWIND_KEPT] = {UNWIND_RBX, UNWIND_FP,  UNWIND_R12,
                                                       UNWIND_R13, UNWIND_R14, UNWIND_R15};

/* arch/ keeps the esi and edi of a 32-bit thread in r12 and r13: 32-bit functions preserve them, as 64-bit functions
 * preserve r12 and r13. */
int unwind_compat_register(uint64_t number)
{
    static const enum unwind_register numbers[] = {UNWIND_RAX, UNWIND_RCX, UNWIND_RDX, UNWIND_RBX, UNWIND_SP,
                                                   UNWIND_FP,  UNWIND_R12, UNWIND_R13, UNWIND_PC};
    return number < sizeof numbers / sizeof *numbers ? (int)numbers[number] : -1;
}

static uint64_t compat_signal_place(enum unwind_register number, uint64_t context)
{
    /* the words of its struct sigcontext, by number */
    static const uint8_t order[UNWIND_REGISTERS] = {
        [UNWIND_R13] = 4, [UNWIND_R12] = 5,  [UNWIND_FP] = 6,   [UNWIND_SP] = 7,  [UNWIND_RBX] = 8,
        [UNWIND_RDX] = 9, [UNWIND_RCX] = 10, [UNWIND_RAX] = 11, [UNWIND_PC] = 14,
    };
    return order[number] ? context + order[number] * sizeof(uint32_t) : UNWIND_NO_PLACE;
}

uint64_t unwind_signal_place(enum unwind_register number, enum unwind_code_kind kind)
{
    /* bytes before the context: the handler's arguments, and the data of the second and third argument */
    enum { CONTEXT_OLD = 4, CONTEXT = 3 * 4 + 128 + 5 * 4 };
    static const int order[UNWIND_REGISTERS] = {
        [UNWIND_RAX] = REG_RAX, [UNWIND_RDX] = REG_RDX, [UNWIND_RCX] = REG_RCX, [UNWIND_RBX] = REG_RBX,
        [UNWIND_RSI] = REG_RSI, [UNWIND_RDI] = REG_RDI, [UNWIND_FP] = REG_RBP,  [UNWIND_SP] = REG_RSP,
        [UNWIND_R8] = REG_R8,   [UNWIND_R9] = REG_R9,   [UNWIND_R10] = REG_R10, [UNWIND_R11] = REG_R11,
        [UNWIND_R12] = REG_R12, [UNWIND_R13] = REG_R13, [UNWIND_R14] = REG_R14, [UNWIND_R15] = REG_R15,
        [UNWIND_PC] = REG_RIP,
    };
    if (kind != UNWIND_CODE_SIGNAL)
        return compat_signal_place(number, kind == UNWIND_CODE_SIGNAL_OLD ? CONTEXT_OLD : CONTEXT);
    return offsetof(ucontext_t, uc_mcontext.gregs) + (uint64_t)order[number] * sizeof(greg_t);
}

void unwind_registers_set(struct unwind_registers *registers, const struct user_regs_struct *user, bool compat)
{
    *registers = (struct unwind_registers){
        .known = (UINT64_C(1) << UNWIND_REGISTERS) - 1,
        .is_compat = compat,
        .value =
            {
                [UNWIND_RAX] = user->rax,
                [UNWIND_RDX] = user->rdx,
                [UNWIND_RCX] = user->rcx,
                [UNWIND_RBX] = user->rbx,
                [UNWIND_RSI] = user->rsi,
                [UNWIND_RDI] = user->rdi,
                [UNWIND_FP] = user->rbp,
                [UNWIND_SP] = user->rsp,
                [UNWIND_R8] = user->r8,
                [UNWIND_R9] = user->r9,
                [UNWIND_R10] = user->r10,
                [UNWIND_R11] = user->r11,
                [UNWIND_R12] = user->r12,
                [UNWIND_R13] = user->r13,
                [UNWIND_R14] = user->r14,
                [UNWIND_R15] = user->r15,
                [UNWIND_PC] = user->rip,
            },
    };
}
