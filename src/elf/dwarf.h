/* SPDX-License-Identifier: MIT
 *
 * What DWARF tells about the addresses of an ELF file, read with libdw. libdw was not made for files of
 * strangers: it may crash, or need more time and memory than there is. So this belongs into a process of its
 * own: see elf/lines.h. */
#ifndef ELF_DWARF_H
#define ELF_DWARF_H

#include "elf/lines.h"

struct elf_dwarf;

/* Opens the DWARF of FILE, which is an ELF file or its debug file; its addresses are those of PROGRAM, the ELF file
 * itself. SHARED: the file that dwz has moved to what several debug files have in common; NULL if none exists. All
 * three must outlive *DWARF. Returns 0, or -errno with ERROR set and *DWARF NULL: -ENOENT there is no DWARF that
 * could be read, -E2BIG it is more than one would want to wait for, -ENOMEM. */
int elf_dwarf_new(const struct elf_file *file, const struct elf_file *program, const struct elf_file *shared,
                  struct elf_dwarf **dwarf, struct error *error);

/* Frees DWARF; NULL is allowed. */
void elf_dwarf_free(struct elf_dwarf *dwarf);

/* As elf_lines_find. The texts are valid until elf_dwarf_free. */
size_t elf_dwarf_find(struct elf_dwarf *dwarf, uint64_t vaddr, struct elf_line chain[ELF_LINES_MAX]);

#endif
