/* SPDX-License-Identifier: MIT
 *
 * The instructions that a jump covers, made again elsewhere. Pure. */
#ifndef ARCH_X86_64_PASSAGE_H
#define ARCH_X86_64_PASSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes to BYTES (ROOM of them, which will be at ADDRESS) code that does the same as the instructions covered by a
 * jump of ARCH_JUMP_BYTES at ENTRY, and then continues behind them. CODE has ARCH_HEAD_BYTES from ENTRY on. COMPAT:
 * of a 32-bit program. Returns false if an instruction is not one with which functions usually begin, or the code
 * does not fit. */
bool passage_write(uint8_t *bytes, size_t room, uint64_t address, const uint8_t *code, uint64_t entry, bool compat);

#endif
