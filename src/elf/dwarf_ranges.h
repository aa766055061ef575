/* SPDX-License-Identifier: MIT
 *
 * The addresses of entries of DWARF, gathered for a struct cover. */
#ifndef ELF_DWARF_RANGES_H
#define ELF_DWARF_RANGES_H

#include "base/cover.h"
#include "elf/file.h"

#include <elfutils/libdw.h>

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
