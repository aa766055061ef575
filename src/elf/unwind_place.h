/* SPDX-License-Identifier: MIT
 *
 * Where the unwind tables of an ELF file are. */
#ifndef ELF_UNWIND_PLACE_H
#define ELF_UNWIND_PLACE_H

#include "elf/sections.h"

#define ELF_UNWIND_TABLE_MAX (UINT64_C(256) << 20) /* bytes of a table that are read */

struct elf_unwind_place {
    uint64_t start, end; /* ELF virtual addresses */
};

/* Finds .eh_frame, through PT_GNU_EH_FRAME or in SECTIONS, which may be NULL. Its end is where its section or,
 * without one, its segment ends, or after ELF_UNWIND_TABLE_MAX bytes. False if none exists. */
bool elf_unwind_place(const struct elf_file *file, const struct elf_sections *sections, struct elf_unwind_place *place);

#endif
