/* SPDX-License-Identifier: MIT
 *
 * Start and end of functions, from the unwind table. Known for most code, stripped or not. */
#ifndef ELF_RANGES_H
#define ELF_RANGES_H

#include <stddef.h>
#include <stdint.h>

struct elf_file;
struct elf_sections;

struct elf_range {
    uint64_t start, end;
};

struct elf_ranges {
    struct elf_range *items; /* sorted by start, not overlapping */
    size_t count, room;
};

/* Fills RANGES, which the caller has zeroed, from FILE's .eh_frame, found through PT_GNU_EH_FRAME or in SECTIONS. A
 * broken table gives the ranges before the damage. Returns 0 or -ENOMEM. */
int elf_ranges_read(struct elf_ranges *ranges, const struct elf_file *file, const struct elf_sections *sections);

/* Frees the ranges; RANGES is empty afterwards. */
void elf_ranges_fini(struct elf_ranges *ranges);

/* Returns the range that contains VADDR, or NULL. */
const struct elf_range *elf_ranges_find(const struct elf_ranges *ranges, uint64_t vaddr);

/* Returns the lowest start of a range above VADDR, or UINT64_MAX. */
uint64_t elf_ranges_next_start(const struct elf_ranges *ranges, uint64_t vaddr);

#endif
