/* SPDX-License-Identifier: MIT
 *
 * The table of functions that a Go program uses for its own stack traces. Programs without symbols have it, too. */
#ifndef ELF_GO_TABLE_H
#define ELF_GO_TABLE_H

#include "programs/elf/table.h"

/* Appends the functions of the Go table in SECTIONS, which belong to FILE, to CANDIDATES. Their names point into
 * SECTIONS. Reads tables of Go 1.16 and later. Returns how many it appended, 0 without such a table, or -ENOMEM. */
long elf_go_table_gather(struct elf_candidates *candidates, const struct elf_sections *sections,
                         const struct elf_file *file);

#endif
