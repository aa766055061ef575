/* SPDX-License-Identifier: MIT */
#ifndef UNWIND_ARM64_REGISTERS_H
#define UNWIND_ARM64_REGISTERS_H

#include <stdint.h>

/* Register numbers of DWARF, except for the PC, which has libunwind's number. Registers that every architecture has are
 * named alike on all of them. */
enum unwind_register {
    UNWIND_X0,
    UNWIND_X19 = 19,
    UNWIND_FP = 29,
    UNWIND_LINK, /* DWARF register that holds the return address in unwind tables */
    UNWIND_SP,
    UNWIND_PC,
    UNWIND_REGISTERS
};

/* x19 to x28, the frame pointer, and x30, where a call leaves its return address. */
enum { UNWIND_KEPT = 12, UNWIND_KEPT_FP = 10 };

/* Bytes of the return address that a call pushes on the stack. 0: a call leaves it in UNWIND_LINK. */
enum { UNWIND_PUSHED_BY_CALL = 0 };

/* Bits of an address in a program. */
enum { UNWIND_ADDRESS_BITS = 48 };

/* Unwind table instruction that turns signing of the return address on or off. */
enum { UNWIND_RULE_SIGNS = 0x2d };

/* Returns the return address ADDRESS without its signature. The instruction xpaclri clears the right bits. It does
 * nothing on a processor without signing. */
static inline uint64_t unwind_plain(uint64_t address)
{
    register uint64_t link __asm__("x30") = address;
    __asm__("hint #7" : "+r"(link));
    return link;
}

#endif
