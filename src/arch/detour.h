/* SPDX-License-Identifier: MIT
 *
 * Code that is written into a program in place of a function of its C library: a jump at the function's beginning, to a
 * stub that makes a request of the call (arch_stub_request). Unlike a breakpoint it harms nobody if the tracer is gone,
 * or never was there, as for a child made with CLONE_UNTRACED: the stub makes what the jump covers and goes on with the
 * function itself. Pure. */
#ifndef ARCH_DETOUR_H
#define ARCH_DETOUR_H

#include "arch/machine.h"
#include "arch/gate.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ARCH_STUB_ALIGNMENT = 16 };

/* How long a stub is; COMPAT: of a 32-bit program. */
static inline size_t arch_stub_bytes(bool compat)
{
    return compat ? ARCH_STUB_BYTES_COMPAT : ARCH_STUB_BYTES;
}

/* The first address from ROOM on where one may lie. */
static inline uint64_t arch_stub_place(uint64_t room)
{
    return room + (ARCH_STUB_ALIGNMENT - room % ARCH_STUB_ALIGNMENT) % ARCH_STUB_ALIGNMENT;
}

/* Sets BYTES to an instruction that, at FROM, jumps to TO. False if that is too far. */
bool arch_jump(uint8_t bytes[static ARCH_JUMP_BYTES], uint64_t from, uint64_t to);

/* False if a jump must not take the place of ORIGINAL, a function's first instruction: this processor may refuse to
 * come there by a pointer if it is anything else. */
bool arch_jump_may_replace(const uint8_t original[static ARCH_JUMP_BYTES]);

/* Sets BYTES to a stub that lies at ADDRESS and makes CALL (enum gate_call) for the function at ENTRY; with the result,
 * or -errno, it goes on at TAIL; without one, behind what the jump covers, which is made before: HEAD, what the
 * function begins with. False if they are too far from each other, or if that cannot be made elsewhere. */
bool arch_stub(uint8_t bytes[static ARCH_STUB_BYTES], uint64_t address, unsigned call, uint64_t entry, uint64_t tail,
               const uint8_t head[static ARCH_HEAD_BYTES]);

/* The same for a 32-bit program, whose request is in its memory, with ARCH_STUB_BYTES_COMPAT. Also false on
 * processors without such programs. */
bool arch_stub_compat(uint8_t *bytes, uint64_t address, unsigned call, uint64_t entry, uint64_t tail,
                      const uint8_t head[static ARCH_HEAD_BYTES]);

#endif
