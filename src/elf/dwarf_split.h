/* SPDX-License-Identifier: MIT
 *
 * Entries that the compiler left in a file of their own (gcc -gsplit-dwarf). */
#ifndef ELF_DWARF_SPLIT_H
#define ELF_DWARF_SPLIT_H

#include <elfutils/libdw.h>

/* Sets *BODY to the first entry of the unit that contains the entries of the unit with first entry UNIT. This is
 * UNIT itself, unless UNIT is only a skeleton and its .dwo file is found: then it is in that file. libdw opens the
 * file by a name that may come from a stranger, so it is only searched for after guard_begin. */
void elf_dwarf_split(Dwarf_Die *unit, Dwarf_Die *body);

#endif
