/* SPDX-License-Identifier: MIT
 *
 * Entries that the compiler left in a file of their own (gcc -gsplit-dwarf). */
#ifndef ELF_DWARF_SPLIT_H
#define ELF_DWARF_SPLIT_H

#include <elfutils/libdw.h>

/* Sets *BODY to the first entry of the unit that has the entries of the one whose first entry is UNIT:
 * another, from a .dwo file, if UNIT has only a skeleton of them and the file is found; else UNIT itself. libdw opens
 * the file by a name that is a stranger's: nothing is looked for without guard_begin. */
void elf_dwarf_split(Dwarf_Die *unit, Dwarf_Die *body);

#endif
