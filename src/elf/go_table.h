/* SPDX-License-Identifier: MIT
 *
 * The table of functions that a Go program has for its own stack traces. It is also in programs without symbols. */
#ifndef ELF_GO_TABLE_H
#define ELF_GO_TABLE_H

#include "elf/table.h"

/* Appends the functions of the Go table in SECTIONS, which are FILE's, to CANDIDATES. Their names point into SECTIONS.
 * Tables of Go 1.16 and later are read. Returns how many were appended, 0 without such a table, or -ENOMEM. */
long elf_go_table_gather(struct elf_candidates *candidates, const struct elf_sections *sections,
                         const struct elf_file *file);

#endif
