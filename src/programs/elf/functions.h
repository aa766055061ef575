/* SPDX-License-Identifier: MIT
 *
 * Turns the symbols of all tables into functions, each with one name, a start and an end. Pure. */
#ifndef ELF_FUNCTIONS_H
#define ELF_FUNCTIONS_H

struct elf_candidates;
struct elf_file;

struct elf_ranges;

/* Sorts CANDIDATES by address and makes START and SIZE final. If two have the same start and end, keeps the better
 * name. Drops labels within a function that has a size. A candidate without a size ends at the first of these: the next
 * symbol, the next range of RANGES, the end of its section, the end of its code. The code is read from FILE (NULL: it
 * is not examined). Afterwards no SIZE is 0. Among candidates with equal START, the longest comes first. A part of a
 * function ("__GI_read.part.0") gets its WHOLE, if one function has the name without the suffix. Without enough memory,
 * parts have none. */
void elf_functions_settle(struct elf_candidates *candidates, const struct elf_ranges *ranges,
                          const struct elf_file *file);

#endif
