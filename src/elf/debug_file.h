/* SPDX-License-Identifier: MIT
 *
 * The symbols of a stripped file, kept elsewhere. */
#ifndef ELF_DEBUG_FILE_H
#define ELF_DEBUG_FILE_H

#include "elf/sections.h"
#include "elf/symbols.h"

/* An ELF file that is open together with what it is read from. */
struct elf_debug_file {
    struct elf_file *file; /* NULL: there is none */
    int fd;                /* -1: in memory */
};

/* Opens the debug file of FILE, which SECTIONS belongs to: by its build-id, else by .gnu_debuglink, whose file must
 * have the same build-id or the checksum. FILE stays NULL in what it returns if none exists. */
struct elf_debug_file elf_debug_file_find(const struct elf_file *file, const struct elf_sections *sections,
                                          const struct elf_debug_search *search);

/* Opens the file that dwz has moved to what FILE, which SECTIONS belong to, has in common with others: the one that
 * .gnu_debugaltlink names and that has its build-id. As elf_debug_file_find. */
struct elf_debug_file elf_debug_file_shared(const struct elf_file *file, const struct elf_sections *sections,
                                            const struct elf_debug_search *search);

/* Opens the small ELF file that .gnu_debugdata holds compressed, as elf_debug_file_find. */
struct elf_debug_file elf_debug_file_unpack(const struct elf_sections *sections);

/* Closes it; one without a file is allowed. */
void elf_debug_file_close(struct elf_debug_file *debug);

#endif
