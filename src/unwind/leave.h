/* SPDX-License-Identifier: MIT
 *
 * How a function without unwind tables, of which not even the beginning is known, will return: by following its
 * instructions from where it is up to a return. Pure. */
#ifndef UNWIND_LEAVE_H
#define UNWIND_LEAVE_H

#include "unwind/layout.h"

enum { UNWIND_INSTRUCTION_MOST = 15, /* bytes of one */ UNWIND_LEAVES = 3 };

/* Reads code at ADDRESS into BYTES. Returns how much of it there is. */
typedef size_t unwind_leave_read(void *owner, uint64_t address, uint8_t bytes[static UNWIND_INSTRUCTION_MOST]);

enum { UNWIND_STILL_THERE = INT32_MIN };

struct unwind_leave {
    bool by_frame; /* what follows is from the frame pointer upwards, not from the stack pointer */
    bool by_saved; /* or from the stack pointer that is stored so many bytes above this one: */
    int32_t saved_at;
    int32_t depth;              /* bytes up to the return address, or if that is in a register (UNWIND_LINK), to
                                   what the caller has on the stack */
    int32_t arguments;          /* bytes above that, which are taken off by the return */
    int32_t saved[UNWIND_KEPT]; /* bytes up to what the caller has in this register (see layout.h), or
                                   UNWIND_STILL_THERE: in the register */
};

/* Follows the instructions from ADDRESS on, NARROW if they are a 32-bit program's. Code that never returns may be
 * followed by another function, so several answers are possible, of which a return address must tell. Returns how many
 * are in LEAVES, the nearest first. *ALL is false if there may be others, as some of the code cannot be read or
 * followed.
 */
size_t unwind_leave_find(unwind_leave_read *read, void *owner, uint64_t address, bool narrow,
                         struct unwind_leave leaves[static UNWIND_LEAVES], bool *all);

#endif
