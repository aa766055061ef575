/* SPDX-License-Identifier: MIT
 *
 * The functions of one DWARF unit, the calls inlined into them, and the addresses of all these. */
#ifndef ELF_DWARF_TREE_H
#define ELF_DWARF_TREE_H

#include "programs/elf/file.h"
#include "programs/elf/range_cover.h"

#include <elfutils/libdw.h>

#define ELF_DWARF_NONE UINT32_MAX

struct elf_dwarf_node {
    Dwarf_Die entry;    /* its debugging information entry */
    uint32_t parent;    /* the node that it is inlined into; ELF_DWARF_NONE: it is a function */
    uint32_t call_file; /* for an inlined call: number of the file in the unit, or ELF_DWARF_NONE */
    uint32_t call_line; /* 0: not known */
    const char *name;   /* set by the caller; NULL at first */
    uint64_t start;     /* set by the caller; 0 at first */
};

struct elf_dwarf_tree {
    struct elf_dwarf_node *nodes;
    size_t count, room;
    struct range_cover cover; /* finds the innermost node of an address */
};

/* Reads the tree of the unit with first entry UNIT into TREE, which the caller has zeroed. Takes only the parts in
 * executable segments of FILE. Lowers *BUDGET by each entry and each range visited; at 0, the rest is left out. Returns
 * false, with TREE empty, if memory runs out. */
bool elf_dwarf_tree_read(struct elf_dwarf_tree *tree, Dwarf_Die *unit, const struct elf_file *file, uint64_t *budget);

/* Frees the nodes; TREE is empty afterwards. */
void elf_dwarf_tree_fini(struct elf_dwarf_tree *tree);

/* Returns the number of the innermost node at VADDR, or ELF_DWARF_NONE. */
uint32_t elf_dwarf_tree_find(const struct elf_dwarf_tree *tree, uint64_t vaddr);

/* Addresses of entries, gathered for a struct range_cover. */
struct elf_dwarf_ranges {
    struct range_cover_part *items; /* the caller frees them */
    size_t count, room;
    const struct elf_file *file; /* only ranges in its executable segments count: the linker has dropped all others */
    uint64_t *budget;            /* how many more entries and ranges may be visited; shared with other users */
};

/* Adds the ranges of ENTRY under ITEM and PRIORITY. Leaves out broken ranges and ranges beyond the budget. Returns
 * false if memory runs out. */
bool elf_dwarf_ranges_add(struct elf_dwarf_ranges *ranges, Dwarf_Die *entry, uint32_t item, uint32_t priority);

#endif
