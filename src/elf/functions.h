/* SPDX-License-Identifier: MIT
 *
 * From all that symbol tables say to the functions, each with one name and two ends. Pure. */
#ifndef ELF_FUNCTIONS_H
#define ELF_FUNCTIONS_H

#include "elf/ranges.h"
#include "elf/table.h"

/* Sorts CANDIDATES by address and makes START and SIZE final. If two have the same ends, keeps the better name.
 * Drops labels within a sized function. A candidate without a size ends at the first of these: the next symbol, the
 * next range of RANGES, the end of its section, the end of its code. The code is read from FILE (NULL: it is not
 * examined). Afterwards no SIZE is 0. The longest comes first among candidates with equal START. */
void elf_functions_settle(struct elf_candidates *candidates, const struct elf_ranges *ranges,
                          const struct elf_file *file);

#endif
