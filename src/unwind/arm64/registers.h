/* SPDX-License-Identifier: MIT */
#ifndef UNWIND_ARM64_REGISTERS_H
#define UNWIND_ARM64_REGISTERS_H

#include <stdint.h>

/* As DWARF numbers them, but for the PC, which is libunwind's. What other architectures have, too, goes by the name
 * that it has in all of them. */
enum unwind_register {
    UNWIND_X0,
    UNWIND_X19 = 19,
    UNWIND_FP = 29,
    UNWIND_LINK, /* the register by which tables know the return address */
    UNWIND_SP,
    UNWIND_PC,
    UNWIND_REGISTERS
};

/* x19 to x28, the frame pointer, and what a call leaves in x30. */
enum { UNWIND_KEPT = 12, UNWIND_KEPT_FP = 10 };

/* A call puts the return address on the stack, which is so many bytes. 0: it leaves it in UNWIND_LINK. */
enum { UNWIND_PUSHED_BY_CALL = 0 };

/* An address of a program has so many bits. */
enum { UNWIND_ADDRESS_BITS = 48 };

/* An instruction of unwind tables that says that the return address is signed, or is not any more. */
enum { UNWIND_RULE_SIGNS = 0x2d };

/* A return address without what may sign it. The processor knows which bits those are: xpaclri, which is nothing to
 * those that do not sign. */
static inline uint64_t unwind_plain(uint64_t address)
{
    register uint64_t link __asm__("x30") = address;
    __asm__("hint #7" : "+r"(link));
    return link;
}

#endif
