/* SPDX-License-Identifier: MIT
 *
 * What one instruction does to the stack pointer, and where it goes on. Pure. */
#ifndef ARCH_DECODE_H
#define ARCH_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum arch_effect {
    ARCH_EFFECT_PLAIN,          /* irrelevant here; also calls, which return with the stack unchanged */
    ARCH_EFFECT_PUSH,           /* AMOUNT bytes, with the registers at their lower end */
    ARCH_EFFECT_POP,            /* the same */
    ARCH_EFFECT_GROW,           /* the stack by AMOUNT bytes, which may be negative */
    ARCH_EFFECT_SAVE,           /* the register is stored on the stack, not by a push */
    ARCH_EFFECT_STORE,          /* the registers are, AMOUNT bytes above the stack pointer */
    ARCH_EFFECT_LOAD,           /* they are loaded from there */
    ARCH_EFFECT_ADDRESS,        /* a register is set to AMOUNT above the stack pointer */
    ARCH_EFFECT_FRAME,          /* the frame pointer is set to AMOUNT above the stack pointer */
    ARCH_EFFECT_TO_FRAME,       /* the stack pointer is set to AMOUNT above the frame pointer */
    ARCH_EFFECT_LEAVE,          /* as TO_FRAME with 0; then the frame pointer is popped */
    ARCH_EFFECT_SWITCH,         /* the stack pointer is loaded from AMOUNT bytes above it */
    ARCH_EFFECT_LOST,           /* nobody can say where the stack pointer is afterwards */
    ARCH_EFFECT_BRANCH,         /* perhaps to AMOUNT bytes after the instruction's end */
    ARCH_EFFECT_JUMP,           /* there in any case */
    ARCH_EFFECT_JUMP_SOMEWHERE, /* by a table, or to another function */
    ARCH_EFFECT_RETURN,         /* and AMOUNT bytes of arguments are taken off the stack */
    ARCH_EFFECT_NO_MORE,        /* the next instruction is not executed after it */
};

struct arch_instruction {
    size_t length;
    enum arch_effect effect;
    int kept;   /* the register: its place in unwind_kept; -1: another one, or none */
    int second; /* the register stored 8 bytes above it */
    int64_t amount;
};

/* Decodes the instruction at the beginning of the SIZE bytes of CODE, COMPAT if it is a 32-bit program's. False if it
 * is cut short or none that compilers make. */
bool arch_decode(const uint8_t *code, size_t size, bool compat, struct arch_instruction *instruction);

/* The longest that is decoded, in bytes. */
enum { ARCH_INSTRUCTION_MOST = 16 };

/* Returns the offset at which the code that begins with CODE (SIZE bytes) ends: behind the first instruction that
 * does not continue with the next one, and beyond which no earlier branch, nor *REACH, leads. *REACH, an offset
 * possibly behind CODE, becomes the furthest target of conditional branches. Returns SIZE if unknown, because the
 * code jumps by a table. */
size_t arch_code_end(const uint8_t *code, size_t size, bool compat, uint64_t *reach);

#endif
