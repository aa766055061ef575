/* SPDX-License-Identifier: MIT */
#ifndef UNWIND_X86_64_REGISTERS_H
#define UNWIND_X86_64_REGISTERS_H

/* As DWARF numbers them. What other architectures have, too, goes by the name that it has in all of them. */
enum unwind_register {
    UNWIND_RAX,
    UNWIND_RDX,
    UNWIND_RCX,
    UNWIND_RBX,
    UNWIND_RSI,
    UNWIND_RDI,
    UNWIND_FP,
    UNWIND_SP,
    UNWIND_R8,
    UNWIND_R9,
    UNWIND_R10,
    UNWIND_R11,
    UNWIND_R12,
    UNWIND_R13,
    UNWIND_R14,
    UNWIND_R15,
    UNWIND_PC,
    UNWIND_REGISTERS
};

enum { UNWIND_KEPT = 6, UNWIND_KEPT_FP = 1 };

#endif
