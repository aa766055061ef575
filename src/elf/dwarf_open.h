/* SPDX-License-Identifier: MIT
 *
 * Opening the DWARF of an ELF file. */
#ifndef ELF_DWARF_OPEN_H
#define ELF_DWARF_OPEN_H

#include "elf/sections.h"

#include <elfutils/libdw.h>

/* Opens the DWARF of SECTIONS, which must outlive *DWARF. libdw loads all .debug sections at once, and opens files
 * that they name. So this changes SECTIONS in memory: it hides all such sections except those needed for lines.
 * Returns 0, or -errno with ERROR set and *DWARF NULL: -ENOENT if none exists, -E2BIG if it is too large. The caller
 * calls dwarf_end. */
int elf_dwarf_open(const struct elf_sections *sections, Dwarf **dwarf, struct error *error);

#endif
