/* SPDX-License-Identifier: MIT
 *
 * Where a function without unwind tables and frame pointers has its return address and the registers of its
 * caller: by following what its instructions do to the stack pointer. Pure. */
#ifndef UNWIND_LAYOUT_H
#define UNWIND_LAYOUT_H

#include "unwind/machine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct unwind_layout {
    int32_t depth; /* bytes from the stack pointer up to where it was at the function's first instruction, where the
                      return address is if a call pushes it */
    /* Of each of unwind_kept: bytes from there down to the caller's; 0: it is still in the register; less than 0: who
     * knows. */
    int32_t saved[UNWIND_KEPT];
};

/* Follows the SIZE bytes of CODE, a whole function, NARROW if it is a 32-bit program's, to the instruction that byte AT
 * is in, and sets *LAYOUT to how things are before it. False if that cannot be told, or if the frame pointer leads to
 * it: use that. */
bool unwind_layout_find(const uint8_t *code, size_t size, size_t at, bool narrow, struct unwind_layout *layout);

/* Follows CODE, which begins a function, for as long as there is one way to go and the stack pointer is known, and sets
 * what *LAYOUT has saved: as it will mostly stay until the function returns. */
void unwind_layout_begin(const uint8_t *code, size_t size, bool narrow, struct unwind_layout *layout);

#endif
