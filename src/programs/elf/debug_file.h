/* SPDX-License-Identifier: MIT
 *
 * The symbols of a stripped file, kept elsewhere. */
#ifndef ELF_DEBUG_FILE_H
#define ELF_DEBUG_FILE_H

struct elf_debug_search;

struct elf_file;
struct elf_sections;

/* An open ELF file, and the memory or descriptor that it is read from. */
struct elf_debug_file {
    struct elf_file *file; /* NULL: none */
    int fd;                /* -1: in memory */
};

/* Finds and opens the debug file of FILE, whose sections are SECTIONS: by its build-id, or by .gnu_debuglink if that
 * file has the same build-id or the right checksum. The result's file is NULL if none exists. */
struct elf_debug_file elf_debug_file_find(const struct elf_file *file, const struct elf_sections *sections,
                                          const struct elf_debug_search *search);

/* Opens the file that dwz made for debug information that FILE shares with other files. FILE has SECTIONS. Their
 * .gnu_debugaltlink gives the name and the build-id of the shared file. Returns as elf_debug_file_find. */
struct elf_debug_file elf_debug_file_shared(const struct elf_file *file, const struct elf_sections *sections,
                                            const struct elf_debug_search *search);

/* Opens the small ELF file in .gnu_debugdata, which is compressed. Returns as elf_debug_file_find. */
struct elf_debug_file elf_debug_file_unpack(const struct elf_sections *sections);

/* Closes DEBUG, which may be without a file. */
void elf_debug_file_close(struct elf_debug_file *debug);

#endif
