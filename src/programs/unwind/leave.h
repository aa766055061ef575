/* SPDX-License-Identifier: MIT
 *
 * Finds how a function without unwind tables will return, even if its beginning is unknown: follows its instructions
 * from the current one up to a return. Pure. */
#ifndef UNWIND_LEAVE_H
#define UNWIND_LEAVE_H

#include "programs/unwind/layout.h"

enum { UNWIND_INSTRUCTION_MOST = 15, /* bytes of an instruction */ UNWIND_LEAVES = 3 };

/* Reads code at ADDRESS into BYTES. Returns how many bytes could be read. */
typedef size_t unwind_leave_read(void *owner, uint64_t address, uint8_t bytes[static UNWIND_INSTRUCTION_MOST]);

enum { UNWIND_STILL_THERE = INT32_MIN };

struct unwind_leave {
    bool by_frame; /* the distances are upwards from the frame pointer, not from the stack pointer */
    bool by_saved; /* or from the value of the stack pointer that is saved saved_at bytes above */
    int32_t saved_at;
    int32_t depth;              /* bytes up to the return address, or if it is in a register (UNWIND_LINK), up to the
                                 * caller's part of the stack */
    int32_t arguments;          /* bytes above that, which the return instruction removes */
    int32_t saved[UNWIND_KEPT]; /* bytes up to the caller's value of this register (see layout.h); UNWIND_STILL_THERE:
                                 * it is in the register */
};

/* Follows the instructions from ADDRESS up to a return. COMPAT: the code is a 32-bit program's. Code that follows a
 * call without return may belong to another function, so several LEAVES may be found, nearest first: choose by their
 * return addresses. Sets *ALL to false if more may exist, because some code could not be read or followed. Returns the
 * number of LEAVES. */
size_t unwind_leave_find(unwind_leave_read *read, void *owner, uint64_t address, bool compat,
                         struct unwind_leave leaves[static UNWIND_LEAVES], bool *all);

#endif
