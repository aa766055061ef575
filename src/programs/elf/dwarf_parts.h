/* SPDX-License-Identifier: MIT
 *
 * Internal interface between the files that read DWARF. */
#ifndef ELF_DWARF_PARTS_H
#define ELF_DWARF_PARTS_H

#include "programs/elf/range_cover.h"

#include <elfutils/libdw.h>

struct elf_file;
struct elf_sections;
struct error;
struct texts;

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

/* Opens the DWARF of FILE, whose sections are SECTIONS. Sets *ELF, which outlives *DWARF; the caller calls elf_end.
 * Both are NULL on failure. libdw loads all .debug sections at once, and opens files that they name. So this function
 * hides all such sections except those needed for lines, in memory. Returns 0, or -errno with ERROR set: -ENOENT if
 * none exists, -E2BIG if it is too large. The caller calls dwarf_end. */
int elf_dwarf_open(const struct elf_file *file, const struct elf_sections *sections, Elf **elf, Dwarf **dwarf,
                   struct error *error);

/* Sets *BODY to the first entry of the unit that contains the entries of UNIT, given by its first entry. This is UNIT
 * itself, unless UNIT is only a skeleton and its .dwo file is found. libdw opens that file by a name that may come from
 * a stranger, so it is searched for only after guard_begin. */
void elf_dwarf_split(Dwarf_Die *unit, Dwarf_Die *body);

/* Returns the text of attribute NAME of ENTRY, or NULL if it is missing or empty. Valid until dwarf_end. */
const char *elf_dwarf_text(Dwarf_Die *entry, unsigned name);

/* Returns the name of the function at ENTRY, or of the function inlined there. Prefers the linker's name. Without one,
 * uses the source name; in C++ with its namespaces, classes and functions. Returns "" if it has no name. Valid until
 * dwarf_end, or as long as MADE, which stores composed names. Lowers *BUDGET by each entry visited. */
const char *elf_dwarf_name(Dwarf_Die *entry, struct texts *made, uint64_t *budget);

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
