/* SPDX-License-Identifier: MIT
 *
 * A few instructions show where the return address is. Pure. */
#ifndef UNWIND_INSTRUCTIONS_H
#define UNWIND_INSTRUCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    UNWIND_BYTES_BEFORE = 7, /* as long as a call can be */
    UNWIND_BYTES_AFTER = 16,
};

enum unwind_code_kind {
    UNWIND_CODE_OTHER,
    UNWIND_CODE_ENTERED,       /* the stack pointer points to it: a function begins or ends here */
    UNWIND_CODE_PUSHED,        /* it is one word further: in the procedure linkage table */
    UNWIND_CODE_PUSHED_TWICE,  /* two words further: there, too */
    UNWIND_CODE_PUSHED_FRAME,  /* one word further, and the word before is the caller's frame pointer */
    UNWIND_CODE_CAPTURING,     /* the stack pointer points to it: a retpoline, of which tables may know nothing */
    UNWIND_CODE_REPLACED,      /* it is one word further: the second part of a retpoline, the same */
    UNWIND_CODE_SIGNAL,        /* signal handlers return to here */
    UNWIND_CODE_SIGNAL_COMPAT, /* the same in a 32-bit program */
    UNWIND_CODE_SIGNAL_OLD,    /* in a 32-bit program, handlers without SA_SIGINFO return to here */
    UNWIND_CODE_UNCALLED,      /* no call precedes it: it is not a return address */
};

enum unwind_call_kind { UNWIND_CALL_NONE, UNWIND_CALL_DIRECT, UNWIND_CALL_INDIRECT };

/* Judges the instruction that ends at END; UNWIND_BYTES_BEFORE bytes before that can be read. *DISTANCE is set to
 * how far from END a direct call leads. */
enum unwind_call_kind unwind_judge_call(const uint8_t *end, int32_t *distance);

/* Judges the instruction at HERE, at which a thread was interrupted. UNWIND_BYTES_BEFORE bytes before it and
 * UNWIND_BYTES_AFTER from it on can be read. COMPAT: in a 32-bit program. */
enum unwind_code_kind unwind_judge_instruction(const uint8_t *here, bool compat);

/* Judges the instruction at HERE, which is a return address. Returns one of the UNWIND_CODE_SIGNAL kinds,
 * UNWIND_CODE_UNCALLED or UNWIND_CODE_OTHER. COMPAT: in a 32-bit program. */
enum unwind_code_kind unwind_judge_return(const uint8_t *here, bool compat);

/* True if one of the instructions in the SIZE bytes of CODE, of one function, makes the stack pointer point
 * to another stack: sets it from a register other than the frame pointer, or from memory. */
bool unwind_code_switches_stack(const uint8_t *code, size_t size);

#endif
