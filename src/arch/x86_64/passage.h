/* SPDX-License-Identifier: MIT
 *
 * The instructions that a jump covers, made again elsewhere. Pure. */
#ifndef ARCH_X86_64_PASSAGE_H
#define ARCH_X86_64_PASSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes to BYTES, of which there are ROOM and which will lie at ADDRESS, what does the same as the instructions that a
 * jump of ARCH_JUMP_BYTES at ENTRY covers, whose CODE has ARCH_HEAD_BYTES, and goes on behind them. NARROW: of a 32-bit
 * program. False if some instruction is not among those that functions begin with, or there is no room. */
bool passage_write(uint8_t *bytes, size_t room, uint64_t address, const uint8_t *code, uint64_t entry, bool narrow);

#endif
