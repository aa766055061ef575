/* SPDX-License-Identifier: MIT
 *
 * The functions of one DWARF unit that were inlined somewhere and also have code of their own. For an inlined call of a
 * function that is private to its file, a compiler writes no linker's name. The symbol of the function's own code has
 * that name. */
#ifndef ELF_DWARF_COPIES_H
#define ELF_DWARF_COPIES_H

#include "programs/elf/dwarf_tree.h"

struct elf_dwarf_copy {
    uint64_t origin; /* address in memory of the entry that all copies of the function refer to */
    uint64_t start;
};

/* Zero it before the first use. */
struct elf_dwarf_copies {
    struct elf_dwarf_copy *items;
    size_t count, room;
    bool read;
};

/* Returns the start address of the function that was inlined at CALL, in the unit of TREE. Returns 0 if the function
 * has no code of its own there. Looks at each function once, and lowers *BUDGET by one for each; functions beyond the
 * budget are not found. */
uint64_t elf_dwarf_copies_find(struct elf_dwarf_copies *copies, struct elf_dwarf_tree *tree, Dwarf_Die *call,
                               uint64_t *budget);

void elf_dwarf_copies_fini(struct elf_dwarf_copies *copies);

#endif
