/* SPDX-License-Identifier: MIT
 *
 * Locates the unwind tables of an ELF file. */
#ifndef ELF_UNWIND_PLACE_H
#define ELF_UNWIND_PLACE_H

#include <stdbool.h>
#include <stdint.h>

struct elf_file;
struct elf_sections;

#define ELF_UNWIND_TABLE_MAX (UINT64_C(256) << 20) /* bytes of a table that are read */

struct elf_unwind_place {
    uint64_t start, end; /* ELF virtual addresses */
};

/* Finds .eh_frame through PT_GNU_EH_FRAME, or in SECTIONS (may be NULL). It ends with its section or, without one, with
 * its segment, or after ELF_UNWIND_TABLE_MAX bytes. Returns false if it does not exist. */
bool elf_unwind_place(const struct elf_file *file, const struct elf_sections *sections, struct elf_unwind_place *place);

#endif
