/* SPDX-License-Identifier: MIT
 *
 * One frame of a stack. */
#ifndef UNWIND_FRAME_H
#define UNWIND_FRAME_H

#include <stdbool.h>
#include <stdint.h>

struct unwind_frame {
    uint64_t pc;
    bool call;   /* PC is where a call will return to: the call is at PC - 1. Else the thread was interrupted at PC. */
    uint64_t sp; /* the stack pointer there; 0: not known, or a frame of an interpreted language */
    uint32_t language; /* not 0: it is a frame of an interpreted one, and PC what record/scripts.h has for an address */
};

#endif
