/* SPDX-License-Identifier: MIT
 *
 * The functions of one unit of DWARF that were inlined somewhere, and have code of their own as well. A compiler gives
 * the inlined call of a function that is private to its file no name of the linker's: that code's symbol has it. */
#ifndef ELF_DWARF_COPIES_H
#define ELF_DWARF_COPIES_H

#include "elf/dwarf_tree.h"

struct elf_dwarf_copy {
    uint64_t origin; /* of the entry that all copies of the function refer to: where it is in memory */
    uint64_t start;
};

/* Zero it before the first use. */
struct elf_dwarf_copies {
    struct elf_dwarf_copy *items;
    size_t count, room;
    bool read;
};

/* Returns the address where the function begins that CALL, an inlined call in the unit of TREE, is of; 0 if that has no
 * code of its own there. *BUDGET is lowered by each function that is looked at, once; those beyond it are not found. */
uint64_t elf_dwarf_copies_find(struct elf_dwarf_copies *copies, struct elf_dwarf_tree *tree, Dwarf_Die *call,
                               uint64_t *budget);

void elf_dwarf_copies_fini(struct elf_dwarf_copies *copies);

#endif
