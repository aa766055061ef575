/* SPDX-License-Identifier: MIT
 *
 * From all that symbol tables say to the functions, each with one name and two ends. Pure. */
#ifndef ELF_FUNCTIONS_H
#define ELF_FUNCTIONS_H

#include "elf/ranges.h"
#include "elf/table.h"

/* Sorts CANDIDATES by address, keeps of those with equal ends the best name, and gives those without a size
 * one, so that they reach to the next symbol, the next range of RANGES, or the end of their section, and no further
 * than to where their code ends, which is read from FILE (NULL: it is not looked at); a label within a sized function
 * is dropped. Afterwards START and SIZE (never 0) are final; of those with one start the longest comes first. */
void elf_functions_settle(struct elf_candidates *candidates, const struct elf_ranges *ranges,
                          const struct elf_file *file);

#endif
