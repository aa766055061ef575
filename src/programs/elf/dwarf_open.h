/* SPDX-License-Identifier: MIT
 *
 * Opens the DWARF of an ELF file, and of the files to which the compiler moved parts of it (gcc -gsplit-dwarf). */
#ifndef ELF_DWARF_OPEN_H
#define ELF_DWARF_OPEN_H

#include "programs/elf/sections.h"

#include <elfutils/libdw.h>

/* Opens the DWARF of SECTIONS, which must outlive *DWARF. libdw loads all .debug sections at once, and opens files that
 * they name. So this function hides all such sections except those needed for lines; it changes SECTIONS in memory.
 * Returns 0, or -errno with ERROR set and *DWARF NULL: -ENOENT if none exists, -E2BIG if it is too large. The caller
 * calls dwarf_end. */
int elf_dwarf_open(const struct elf_sections *sections, Dwarf **dwarf, struct error *error);

/* Sets *BODY to the first entry of the unit that contains the entries of UNIT, given by its first entry. This is UNIT
 * itself, unless UNIT is only a skeleton and its .dwo file is found. libdw opens that file by a name that may come from
 * a stranger, so it is searched for only after guard_begin. */
void elf_dwarf_split(Dwarf_Die *unit, Dwarf_Die *body);

#endif
