/* SPDX-License-Identifier: MIT
 *
 * Finds the return address and the caller's registers of a function without unwind tables and frame pointers: follows
 * how its instructions change the stack pointer. Pure. */
#ifndef UNWIND_LAYOUT_H
#define UNWIND_LAYOUT_H

#include "programs/unwind/machine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct unwind_layout {
    int32_t depth; /* bytes from the stack pointer up to where it was at the function's first instruction, where the
                      return address is if a call pushes it */
    /* For each of unwind_kept: bytes from there down to the caller's value; 0: it is still in the register; negative:
     * unknown. */
    int32_t saved[UNWIND_KEPT];
};

/* Follows the SIZE bytes of CODE, a whole function, to the instruction that contains byte AT. COMPAT: the code is a
 * 32-bit program's. Sets *LAYOUT to the state before that instruction. Returns false if the state is unknown, or if
 * the frame pointer leads to the return address: use the frame pointer then. */
bool unwind_layout_find(const uint8_t *code, size_t size, size_t at, bool compat, struct unwind_layout *layout);

/* Follows CODE, the beginning of a function, until it branches or the stack pointer is unknown. Sets *LAYOUT to the
 * registers saved so far: they mostly stay saved until the function returns. */
void unwind_layout_begin(const uint8_t *code, size_t size, bool compat, struct unwind_layout *layout);

#endif
