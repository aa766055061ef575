/* SPDX-License-Identifier: MIT
 *
 * Unwind records in one form, whatever table they come from: what libunwind is given to read. */
#ifndef UNWIND_RULES_H
#define UNWIND_RULES_H

#include "base/buffer.h"
#include "elf/unwind_index.h"

enum { UNWIND_RULES_LINE = 8 }; /* bytes of the search table's only line, with which they begin */

/* Appends the rules that were FOUND, for code that begins at the number START, to BYTES, whose length is a multiple
 * of 8 before and after. The addresses in the line are relative to START, and to its own place. False, with nothing
 * appended, if memory runs out or the rules are broken or for another architecture's code. Those of a 32-bit program
 * get the numbers of registers that they have here. */
bool unwind_rules_write(struct buffer *bytes, const struct elf_unwind_found *found, uint64_t start);

#endif
