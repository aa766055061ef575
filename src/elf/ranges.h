/* SPDX-License-Identifier: MIT
 *
 * Where functions begin and end, from the unwind table: known for most code, stripped or not. */
#ifndef ELF_RANGES_H
#define ELF_RANGES_H

#include "elf/sections.h"

struct elf_range {
    uint64_t start, end;
};

struct elf_ranges {
    struct elf_range *items; /* sorted by start, not overlapping */
    size_t count, room;
};

/* Fills RANGES, which the caller has zeroed, from FILE's .eh_frame: found through PT_GNU_EH_FRAME, or in SECTIONS. A
 * broken table gives what could be read before the damage. Returns 0 or -ENOMEM. */
int elf_ranges_read(struct elf_ranges *ranges, const struct elf_file *file, const struct elf_sections *sections);

/* Frees what it holds; RANGES is empty afterwards. */
void elf_ranges_fini(struct elf_ranges *ranges);

/* The range that VADDR is in, or NULL. */
const struct elf_range *elf_ranges_find(const struct elf_ranges *ranges, uint64_t vaddr);

/* The lowest start of a range above VADDR, or UINT64_MAX. */
uint64_t elf_ranges_next_start(const struct elf_ranges *ranges, uint64_t vaddr);

#endif
