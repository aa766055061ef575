/* SPDX-License-Identifier: MIT
 *
 * Writes unwind records in one form, whatever table they come from. libunwind reads this form. */
#ifndef UNWIND_RULES_H
#define UNWIND_RULES_H

#include <stdbool.h>
#include <stdint.h>

struct elf_unwind_found;

struct buffer;

enum { UNWIND_RULES_LINE = 8 }; /* bytes of the search table, which has one line and comes first */

/* Appends the rules in FOUND to BYTES, for code that begins at the number START. The length of BYTES is a multiple
 * of 8 before and after. The addresses in the line are relative to START, and to the line's own location. Registers
 * of a 32-bit program are renumbered as in enum unwind_register. Returns false, and appends nothing, if memory runs
 * out or if the rules are broken or for another architecture. */
bool unwind_rules_write(struct buffer *bytes, const struct elf_unwind_found *found, uint64_t start);

#endif
