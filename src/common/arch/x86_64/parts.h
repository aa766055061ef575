/* SPDX-License-Identifier: MIT
 *
 * The parts of one x86 instruction. */
#ifndef ARCH_X86_64_PARTS_H
#define ARCH_X86_64_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PARTS_NO_REGISTER = -1 };

/* The parts of an instruction. */
struct parts {
    const uint8_t *at, *end;
    bool failed;
    bool is_32bit;              /* a 32-bit program's */
    bool wide, compat;          /* REX.W; the prefix for 16 bits */
    bool repeats;               /* a prefix f2 or f3, which also selects vector instructions */
    bool short_address;         /* the prefix for addresses of half the size */
    unsigned high_reg, high_rm; /* the fourth bits of the registers, as 8 */
    bool high_index;            /* that of an index */
    unsigned map;               /* of opcodes: 0, 1 (after 0f), 2 (0f 38), 3 (0f 3a) */
    bool vector;                /* encoded as AVX has it */
    uint8_t opcode;
    uint8_t mode;     /* of the operand in ModRM; 3: a register */
    unsigned reg, rm; /* with their fourth bits */
    int base;         /* of an operand in memory without an index: DISPLACEMENT counts from this register; else none */
    bool base_is_sp;  /* that is the stack pointer */
    int64_t displacement, immediate;
};

/* True if BYTE is one of the characters of the literal LIST. */
bool parts_is_one_of(uint8_t byte, const char *list, size_t count);
#define IS_ONE_OF(byte, list) parts_is_one_of(byte, list, sizeof(list) - 1)

/* Sets PARTS to those of the instruction at the beginning of the SIZE bytes of CODE, COMPAT if it is a 32-bit
 * program's. Then PARTS->at is behind it. False if it is cut short or none that compilers make. */
bool parts_take(struct parts *parts, const uint8_t *code, size_t size, bool compat);

#endif
