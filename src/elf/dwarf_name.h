/* SPDX-License-Identifier: MIT
 *
 * Names of the functions in DWARF. */
#ifndef ELF_DWARF_NAME_H
#define ELF_DWARF_NAME_H

#include "base/texts.h"

#include <elfutils/libdw.h>

/* The text of attribute NAME of ENTRY, or NULL if it has none or an empty one. Valid until dwarf_end. */
const char *elf_dwarf_text(Dwarf_Die *entry, unsigned name);

/* Returns the name of the function that ENTRY is, or that is inlined at ENTRY. Prefers the linker's name. The
 * alternative is the name in the source; in C++ with the namespaces, classes and functions around it. Returns "" if
 * it has no name. Valid until dwarf_end, or as long as MADE, which stores composed names. Lowers *BUDGET by each
 * entry visited. */
const char *elf_dwarf_name(Dwarf_Die *entry, struct texts *made, uint64_t *budget);

#endif
