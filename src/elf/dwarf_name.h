/* SPDX-License-Identifier: MIT
 *
 * What the functions that entries of DWARF stand for are called. */
#ifndef ELF_DWARF_NAME_H
#define ELF_DWARF_NAME_H

#include "base/texts.h"

#include <elfutils/libdw.h>

/* The text of attribute NAME of ENTRY, or NULL if it has none or an empty one. Valid until dwarf_end. */
const char *elf_dwarf_text(Dwarf_Die *entry, unsigned name);

/* The name of the function that ENTRY is, or is an inlined call of: as the linker knows it, else as it is
 * written, in C++ with the namespaces, classes and functions around it; "" if it has none. Valid until
 * dwarf_end, or as long as MADE, which takes what must be put together. *BUDGET is lowered by each entry that
 * is looked at. */
const char *elf_dwarf_name(Dwarf_Die *entry, struct texts *made, uint64_t *budget);

#endif
