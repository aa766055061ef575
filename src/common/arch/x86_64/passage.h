/* SPDX-License-Identifier: MIT
 *
 * A copy, at another address, of the instructions that a jump covers. Pure. */
#ifndef ARCH_X86_64_PASSAGE_H
#define ARCH_X86_64_PASSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes code to BYTES (ROOM bytes, for address ADDRESS). It does the same as the instructions that a jump of
 * ARCH_JUMP_BYTES at ENTRY covers, and continues after them. CODE has ARCH_HEAD_BYTES from ENTRY on. COMPAT: for a
 * 32-bit program. Returns false if a function does not usually begin with such an instruction, or if the code does not
 * fit. */
bool passage_write(uint8_t *bytes, size_t room, uint64_t address, const uint8_t *code, uint64_t entry, bool compat);

#endif
