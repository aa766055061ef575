/* SPDX-License-Identifier: MIT
 *
 * Finds the return address from a few instructions. Pure. */
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
    UNWIND_CODE_ENTERED,       /* the stack pointer points to the return address: a function begins or ends here */
    UNWIND_CODE_PUSHED,        /* the return address is one word above: in the procedure linkage table */
    UNWIND_CODE_PUSHED_TWICE,  /* two words above, also in the procedure linkage table */
    UNWIND_CODE_PUSHED_FRAME,  /* one word above, and the word below it is the caller's frame pointer */
    UNWIND_CODE_CAPTURING,     /* the stack pointer points to it: first part of a retpoline, which tables may not
                                * describe */
    UNWIND_CODE_REPLACED,      /* one word above: second part of a retpoline, which tables may not describe */
    UNWIND_CODE_SIGNAL,        /* signal handlers return to here */
    UNWIND_CODE_SIGNAL_COMPAT, /* the same in a 32-bit program */
    UNWIND_CODE_SIGNAL_OLD,    /* in a 32-bit program, handlers without SA_SIGINFO return to here */
    UNWIND_CODE_UNCALLED,      /* no call precedes it: it is not a return address */
};

enum unwind_call_kind { UNWIND_CALL_NONE, UNWIND_CALL_DIRECT, UNWIND_CALL_INDIRECT };

/* Judges the instruction that ends at END. UNWIND_BYTES_BEFORE bytes before END can be read. Sets *DISTANCE to the
 * distance from END to the target of a direct call. */
enum unwind_call_kind unwind_judge_call(const uint8_t *end, int32_t *distance);

/* Judges the instruction at HERE, at which a thread was interrupted. UNWIND_BYTES_BEFORE bytes before it and
 * UNWIND_BYTES_AFTER from it on can be read. COMPAT: in a 32-bit program. */
enum unwind_code_kind unwind_judge_instruction(const uint8_t *here, bool compat);

/* Judges the instruction at HERE, which is a return address. Returns one of the UNWIND_CODE_SIGNAL kinds,
 * UNWIND_CODE_UNCALLED or UNWIND_CODE_OTHER. COMPAT: in a 32-bit program. */
enum unwind_code_kind unwind_judge_return(const uint8_t *here, bool compat);

/* Returns true if an instruction in the SIZE bytes of CODE, part of one function, makes the stack pointer point to
 * another stack: sets it from memory, or from a register other than the frame pointer. */
bool unwind_code_switches_stack(const uint8_t *code, size_t size);

#endif
