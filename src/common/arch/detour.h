/* SPDX-License-Identifier: MIT
 *
 * Code that replaces the beginning of a C library function: a jump to a stub, which makes a request of the call
 * (arch_stub_request). It is harmless without a tracer, for example in a child made with CLONE_UNTRACED. The stub then
 * executes the instructions that the jump covers, and continues in the function itself. Pure. */
#ifndef ARCH_DETOUR_H
#define ARCH_DETOUR_H

#include "common/arch/gate.h"
#include "common/arch/machine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ARCH_STUB_ALIGNMENT = 16 };

/* Returns the size of a stub. COMPAT: for a 32-bit program. */
static inline size_t arch_stub_bytes(bool compat)
{
    return compat ? ARCH_STUB_BYTES_COMPAT : ARCH_STUB_BYTES;
}

/* Returns the first address from ROOM on where a stub may lie. */
static inline uint64_t arch_stub_place(uint64_t room)
{
    return room + (ARCH_STUB_ALIGNMENT - room % ARCH_STUB_ALIGNMENT) % ARCH_STUB_ALIGNMENT;
}

/* Sets BYTES to an instruction at FROM that jumps to TO. Returns false if TO is too far away. */
bool arch_jump(uint8_t bytes[static ARCH_JUMP_BYTES], uint64_t from, uint64_t to);

/* Returns false if a jump must not replace ORIGINAL, a function's first instruction: the processor may then refuse an
 * indirect call of the function. */
bool arch_jump_may_replace(const uint8_t original[static ARCH_JUMP_BYTES]);

/* Writes a stub for ADDRESS into BYTES. It makes CALL (enum gate_call) for the function at ENTRY. With an answer, the
 * result or -errno, it continues at TAIL. Without an answer, it executes the instructions that the jump covers (HEAD:
 * the function's first bytes), and continues after them. Returns false if the addresses are too far apart, or if these
 * instructions cannot be executed at another address. */
bool arch_stub(uint8_t bytes[static ARCH_STUB_BYTES], uint64_t address, unsigned call, uint64_t entry, uint64_t tail,
               const uint8_t head[static ARCH_HEAD_BYTES]);

/* Like arch_stub, for a 32-bit program, whose request is in memory. The stub has ARCH_STUB_BYTES_COMPAT bytes. Returns
 * false also on processors without such programs. */
bool arch_stub_compat(uint8_t *bytes, uint64_t address, unsigned call, uint64_t entry, uint64_t tail,
                      const uint8_t head[static ARCH_HEAD_BYTES]);

#endif
