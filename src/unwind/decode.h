/* SPDX-License-Identifier: MIT
 *
 * What one instruction does to the stack pointer, and where it goes on. Pure. */
#ifndef UNWIND_DECODE_H
#define UNWIND_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum unwind_effect {
    UNWIND_PLAIN,          /* nothing that matters here; calls, too: they come back with the stack as it was */
    UNWIND_PUSH,           /* AMOUNT bytes, with the registers at their lower end */
    UNWIND_POP,            /* the same */
    UNWIND_GROW,           /* the stack by AMOUNT bytes, which may be negative */
    UNWIND_SAVE,           /* the register is stored on the stack, not by a push */
    UNWIND_STORE,          /* the registers are, AMOUNT bytes above the stack pointer */
    UNWIND_LOAD,           /* they are loaded from there */
    UNWIND_FRAME,          /* the frame pointer is set to AMOUNT above the stack pointer */
    UNWIND_TO_FRAME,       /* the stack pointer is set to AMOUNT above the frame pointer */
    UNWIND_LEAVE,          /* that with 0, and the frame pointer is popped */
    UNWIND_SWITCH,         /* the stack pointer is loaded from AMOUNT bytes above it */
    UNWIND_LOST,           /* nobody can say where the stack pointer is afterwards */
    UNWIND_BRANCH,         /* perhaps to AMOUNT bytes after the instruction's end */
    UNWIND_JUMP,           /* there in any case */
    UNWIND_JUMP_SOMEWHERE, /* by a table, or to another function */
    UNWIND_RETURN,         /* and AMOUNT bytes of arguments are taken off the stack */
    UNWIND_NO_MORE,        /* what follows is not executed after it */
};

struct unwind_instruction {
    size_t length;
    enum unwind_effect effect;
    int kept;   /* the register: its place in unwind_kept; -1: another one, or none */
    int second; /* the one that is 8 bytes above it */
    int64_t amount;
};

/* Decodes the instruction at the beginning of the SIZE bytes of CODE, NARROW if it is a 32-bit program's. False if it
 * is cut short or none that compilers make. */
bool unwind_decode(const uint8_t *code, size_t size, bool narrow, struct unwind_instruction *instruction);

#endif
