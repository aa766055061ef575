/* SPDX-License-Identifier: MIT
 *
 * Names of the functions in DWARF. */
#ifndef ELF_DWARF_NAME_H
#define ELF_DWARF_NAME_H

#include "common/base/texts.h"

#include <elfutils/libdw.h>

/* Returns the text of attribute NAME of ENTRY, or NULL if it is missing or empty. Valid until dwarf_end. */
const char *elf_dwarf_text(Dwarf_Die *entry, unsigned name);

/* Returns the name of the function at ENTRY, or of the function inlined there. Prefers the linker's name. Without one,
 * uses the source name; in C++ with its namespaces, classes and functions. Returns "" if it has no name. Valid until
 * dwarf_end, or as long as MADE, which stores composed names. Lowers *BUDGET by each entry visited. */
const char *elf_dwarf_name(Dwarf_Die *entry, struct texts *made, uint64_t *budget);

#endif
