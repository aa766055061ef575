/* SPDX-License-Identifier: MIT
 *
 * Code that is written into a program in place of a function of its C library: a jump at the function's beginning, to a
 * stub that makes a request of the call (arch_stub_request). Unlike a breakpoint it harms nobody if the tracer is gone:
 * the stub waits for the jump to be taken back, and goes on with the function itself, or fails with ENOSYS. That of a
 * function that does nothing hardly waits. Pure. */
#ifndef ARCH_DETOUR_H
#define ARCH_DETOUR_H

#include "arch/machine.h"
#include "arch/gate.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ARCH_STUB_ALIGNMENT = 16 };

/* How long a stub is; NARROW: of a 32-bit program. */
static inline size_t arch_stub_bytes(bool narrow)
{
    return narrow ? ARCH_STUB_BYTES_NARROW : ARCH_STUB_BYTES;
}

/* How many milliseconds one that makes CALL waits for the jump to be taken back. */
static inline uint32_t arch_stub_patience(unsigned call)
{
    return call == GATE_LOADED ? 1 : 500;
}

/* The first address from ROOM on where one may lie. */
static inline uint64_t arch_stub_place(uint64_t room)
{
    return room + (ARCH_STUB_ALIGNMENT - room % ARCH_STUB_ALIGNMENT) % ARCH_STUB_ALIGNMENT;
}

/* Sets BYTES to an instruction that, at FROM, jumps to TO. False if that is too far. */
bool arch_jump(uint8_t bytes[static ARCH_JUMP_BYTES], uint64_t from, uint64_t to);

/* True if BYTES are one, to wherever: how a stub tells whether the jump to it has been taken back. */
bool arch_is_jump(const uint8_t bytes[static ARCH_JUMP_BYTES]);

/* False if a jump must not take the place of ORIGINAL, a function's first instruction: this processor may refuse to
 * come there by a pointer if it is anything else. */
bool arch_jump_may_replace(const uint8_t original[static ARCH_JUMP_BYTES]);

/* Sets BYTES to a stub that lies at ADDRESS and makes CALL (enum gate_call) for the function at ENTRY; with the result,
 * or -errno, it goes on at TAIL. False if they are too far from each other. */
bool arch_stub(uint8_t bytes[static ARCH_STUB_BYTES], uint64_t address, unsigned call, uint64_t entry, uint64_t tail);

/* The same for a 32-bit program, whose request lies in its memory, with ARCH_STUB_BYTES_NARROW. False, too, where there
 * are no such programs. */
bool arch_stub_narrow(uint8_t *bytes, uint64_t address, unsigned call, uint64_t entry, uint64_t tail);

#endif
