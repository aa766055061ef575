/* SPDX-License-Identifier: MIT
 *
 * Where a jump or a call goes, by its text. Pure. */
#ifndef CODE_TARGET_H
#define CODE_TARGET_H

#include <stdbool.h>
#include <stdint.h>

/* Sets *ADDRESS to the target of TEXT, a jump or call as in code/disassembly.h. Returns false for other instructions
 * and for indirect ones. */
bool target_of(const char *text, uint64_t *address);

#endif
