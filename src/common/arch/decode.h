/* SPDX-License-Identifier: MIT
 *
 * How one instruction changes the stack pointer, and where execution continues. Pure. */
#ifndef ARCH_DECODE_H
#define ARCH_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum arch_effect {
    ARCH_EFFECT_PLAIN,          /* irrelevant here; also calls, which return with the stack unchanged */
    ARCH_EFFECT_PUSH,           /* AMOUNT bytes, with the registers at their lower end */
    ARCH_EFFECT_POP,            /* the same */
    ARCH_EFFECT_GROW,           /* grows the stack by AMOUNT bytes, which may be negative */
    ARCH_EFFECT_SAVE,           /* the register is stored on the stack, not by a push */
    ARCH_EFFECT_STORE,          /* the registers are stored AMOUNT bytes above the stack pointer */
    ARCH_EFFECT_LOAD,           /* the registers are loaded from AMOUNT bytes above the stack pointer */
    ARCH_EFFECT_ADDRESS,        /* a register is set to AMOUNT above the stack pointer */
    ARCH_EFFECT_FRAME,          /* the frame pointer is set to AMOUNT above the stack pointer */
    ARCH_EFFECT_TO_FRAME,       /* the stack pointer is set to AMOUNT above the frame pointer */
    ARCH_EFFECT_LEAVE,          /* as TO_FRAME with 0; then the frame pointer is popped */
    ARCH_EFFECT_SWITCH,         /* the stack pointer is loaded from AMOUNT bytes above it */
    ARCH_EFFECT_LOST,           /* the stack pointer is unknown afterwards */
    ARCH_EFFECT_BRANCH,         /* may branch to AMOUNT bytes after the instruction's end */
    ARCH_EFFECT_JUMP,           /* jumps to AMOUNT bytes after the instruction's end */
    ARCH_EFFECT_JUMP_SOMEWHERE, /* jumps by a table, or to another function */
    ARCH_EFFECT_RETURN,         /* returns, and removes AMOUNT bytes of arguments from the stack */
    ARCH_EFFECT_NO_MORE,        /* execution does not continue with the next instruction */
};

struct arch_instruction {
    size_t length;
    enum arch_effect effect;
    int kept;   /* index of the register in unwind_kept; -1: another one, or none */
    int second; /* the register stored 8 bytes above it */
    int64_t amount;
};

/* Decodes the instruction at the beginning of the SIZE bytes of CODE. COMPAT: the code is a 32-bit program's. Returns
 * false if the instruction is cut short, or is not one that compilers make. */
bool arch_decode(const uint8_t *code, size_t size, bool compat, struct arch_instruction *instruction);

/* Bytes of the longest decoded instruction. */
enum { ARCH_INSTRUCTION_MOST = 16 };

/* Returns the offset where the function that begins with CODE (SIZE bytes) ends. This is after the first instruction
 * that does not continue with the next one and lies beyond all earlier branch targets and *REACH. Sets *REACH to the
 * furthest target of conditional branches, possibly after CODE. Returns SIZE if the end is unknown because the code
 * jumps by a table. */
size_t arch_code_end(const uint8_t *code, size_t size, bool compat, uint64_t *reach);

#endif
