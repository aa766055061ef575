/* SPDX-License-Identifier: MIT
 *
 * Finds the target of a jump or a call in its text. Pure. */
#ifndef CODE_TARGET_H
#define CODE_TARGET_H

#include <stdbool.h>
#include <stdint.h>

/* Sets *ADDRESS to the target of the jump or call in TEXT, an instruction as in code/disassembly.h. Returns false for
 * indirect jumps and calls, and for other instructions. */
bool target_of(const char *text, uint64_t *address);

#endif
