/* SPDX-License-Identifier: MIT
 *
 * Opening the DWARF of an ELF file. */
#ifndef ELF_DWARF_OPEN_H
#define ELF_DWARF_OPEN_H

#include "elf/sections.h"

#include <elfutils/libdw.h>

/* Opens the DWARF of SECTIONS, which must outlive *DWARF, and changes what SECTIONS say in memory: libdw
 * loads all .debug sections at once, and opens files that they name, so all are hidden but those that lines need.
 * Returns 0, or -errno with ERROR set and *DWARF NULL: -ENOENT there is none, -E2BIG it is too large. dwarf_end is the
 * caller's to call. */
int elf_dwarf_open(const struct elf_sections *sections, Dwarf **dwarf, struct error *error);

#endif
