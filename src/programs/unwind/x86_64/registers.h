/* SPDX-License-Identifier: MIT */
#ifndef UNWIND_X86_64_REGISTERS_H
#define UNWIND_X86_64_REGISTERS_H

#include <stdint.h>

/* Register numbers of DWARF. Registers that every architecture has are named alike on all of them. */
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
    UNWIND_REGISTERS,
    UNWIND_LINK = UNWIND_PC /* DWARF register that holds the return address in unwind tables */
};

enum { UNWIND_KEPT = 6, UNWIND_KEPT_FP = 1 };

/* Bytes of the return address that a call pushes on the stack. 0: a call leaves it in UNWIND_LINK. */
enum { UNWIND_PUSHED_BY_CALL = 8 };

/* Bits of an address in a program. */
enum { UNWIND_ADDRESS_BITS = 47 };

/* Unwind table instruction that turns signing of the return address on or off; -1: none exists. */
enum { UNWIND_RULE_SIGNS = -1 };

/* Returns a return address without its signature. It has none here. */
static inline uint64_t unwind_plain(uint64_t address)
{
    return address;
}

#endif
