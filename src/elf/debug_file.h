/* SPDX-License-Identifier: MIT
 *
 * The symbols of a stripped file, kept elsewhere. */
#ifndef ELF_DEBUG_FILE_H
#define ELF_DEBUG_FILE_H

#include "elf/sections.h"
#include "elf/symbols.h"

/* An ELF file that is open together with what it is read from. */
struct elf_debug_file {
    struct elf_file *file; /* NULL: none */
    int fd;                /* -1: in memory */
};

/* Finds and opens the debug file of FILE, which SECTIONS belong to: by its build-id, or by .gnu_debuglink if that
 * file has the same build-id or the right checksum. In the result, file is NULL if none exists. */
struct elf_debug_file elf_debug_file_find(const struct elf_file *file, const struct elf_sections *sections,
                                          const struct elf_debug_search *search);

/* Opens the file that dwz made for debug information that FILE shares with other files. SECTIONS belong to FILE.
 * .gnu_debugaltlink gives the name and the build-id of the shared file. Result as elf_debug_file_find. */
struct elf_debug_file elf_debug_file_shared(const struct elf_file *file, const struct elf_sections *sections,
                                            const struct elf_debug_search *search);

/* Opens the small ELF file that .gnu_debugdata holds compressed, as elf_debug_file_find. */
struct elf_debug_file elf_debug_file_unpack(const struct elf_sections *sections);

/* Closes it; one without a file is allowed. */
void elf_debug_file_close(struct elf_debug_file *debug);

#endif
