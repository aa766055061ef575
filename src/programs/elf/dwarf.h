/* SPDX-License-Identifier: MIT
 *
 * Reads the DWARF of an ELF file with libdw, for the addresses of the file. libdw is not made for hostile files: it may
 * crash, or need too much time and memory. So run this in a separate process: see elf/lines.h. */
#ifndef ELF_DWARF_H
#define ELF_DWARF_H

#include "programs/elf/lines.h"

struct elf_dwarf;

/* Opens the DWARF of FILE, which is the ELF file PROGRAM or its debug file. All addresses belong to PROGRAM. SHARED:
 * the file that dwz made for the debug information of several files, or NULL. All three must outlive *DWARF. Returns 0,
 * or -errno with ERROR set and *DWARF NULL: -ENOENT if no DWARF could be read, -E2BIG if reading it would take too
 * long, -ENOMEM. */
int elf_dwarf_new(const struct elf_file *file, const struct elf_file *program, const struct elf_file *shared,
                  struct elf_dwarf **dwarf, struct error *error);

/* Frees DWARF; NULL is allowed. */
void elf_dwarf_free(struct elf_dwarf *dwarf);

/* As elf_lines_find. The texts are valid until elf_dwarf_free. */
size_t elf_dwarf_find(struct elf_dwarf *dwarf, uint64_t vaddr, struct elf_line chain[ELF_LINES_MAX]);

#endif
