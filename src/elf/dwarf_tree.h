/* SPDX-License-Identifier: MIT
 *
 * The functions of one unit of DWARF, with the calls that were inlined into them, and the addresses of its entries. */
#ifndef ELF_DWARF_TREE_H
#define ELF_DWARF_TREE_H

#include "base/cover.h"
#include "elf/file.h"

#include <elfutils/libdw.h>

#define ELF_DWARF_NONE UINT32_MAX

struct elf_dwarf_node {
    Dwarf_Die entry;    /* its debugging information entry */
    uint32_t parent;    /* the node that it is inlined into, or ELF_DWARF_NONE: it is a function */
    uint32_t call_file; /* of an inlined call: number of the file in the unit, or ELF_DWARF_NONE */
    uint32_t call_line; /* 0: not known */
    const char *name;   /* the caller's; NULL at first */
    uint64_t start;     /* the caller's; 0 at first */
};

struct elf_dwarf_tree {
    struct elf_dwarf_node *nodes;
    size_t count, room;
    struct cover cover; /* which of the nodes an address belongs to, the innermost */
};

/* Reads the tree of the unit with first entry UNIT into TREE, which the caller has zeroed. Takes only the parts in
 * executable segments of FILE. Lowers *BUDGET by each entry and each range visited; at 0 the rest is left out.
 * Returns false, with TREE empty, if memory runs out. */
bool elf_dwarf_tree_read(struct elf_dwarf_tree *tree, Dwarf_Die *unit, const struct elf_file *file, uint64_t *budget);

/* Frees what it holds; TREE is empty afterwards. */
void elf_dwarf_tree_fini(struct elf_dwarf_tree *tree);

/* The number of the innermost node at VADDR, or ELF_DWARF_NONE. */
uint32_t elf_dwarf_tree_find(const struct elf_dwarf_tree *tree, uint64_t vaddr);

/* Addresses of entries, gathered for a struct cover. */
struct elf_dwarf_ranges {
    struct cover_range *items; /* the caller frees them */
    size_t count, room;
    const struct elf_file *file; /* only what is in its executable segments counts: what the linker dropped is not */
    uint64_t *budget;            /* how much may still be looked at; shared with others */
};

/* Takes one from the budget. False if nothing is left. */
bool elf_dwarf_ranges_spend(struct elf_dwarf_ranges *ranges);

/* Adds the ranges of ENTRY under ITEM and PRIORITY. Leaves out broken ranges and ranges beyond the budget. Returns
 * false if memory runs out. */
bool elf_dwarf_ranges_add(struct elf_dwarf_ranges *ranges, Dwarf_Die *entry, uint32_t item, uint32_t priority);

#endif
