/* SPDX-License-Identifier: MIT
 *
 * One frame of a stack. */
#ifndef UNWIND_FRAME_H
#define UNWIND_FRAME_H

#include <stdbool.h>
#include <stdint.h>

struct unwind_frame {
    uint64_t pc;
    bool call;   /* PC is a return address, and the call is at PC - 1. Otherwise the thread was interrupted at PC. */
    uint64_t sp; /* the stack pointer in this frame; 0: unknown, or a frame of an interpreted language */
    uint32_t language; /* not 0: a frame of this interpreted language; PC is then an address of record/scripts.h */
};

#endif
