/* SPDX-License-Identifier: MIT
 *
 * Sections of an ELF file, through libelf. A section header is trusted only as far as the file confirms it. */
#ifndef ELF_SECTIONS_H
#define ELF_SECTIONS_H

#include "programs/elf/image.h"

struct elf_sections {
    Elf *elf;
    size_t count;    /* includes section 0, which is unused */
    Elf_Data *names; /* NULL: sections have no names */
};

/* Opens the sections of FILE, which must outlive them. Returns 0, or -errno with ERROR set and SECTIONS
 * zeroed. */
int elf_sections_open(struct elf_sections *sections, const struct elf_file *file, struct error *error);

/* Frees everything from elf_sections_open, including every Elf_Data. Zeroed SECTIONS are allowed. */
void elf_sections_close(struct elf_sections *sections);

/* Sets *HEADER to the header of section INDEX. Returns false, with *HEADER undefined, if it does not exist. */
bool elf_sections_header(const struct elf_sections *sections, size_t index, GElf_Shdr *header);

/* Returns the section's name, 0-terminated, of less than 64 bytes, or "" if it has none. Valid until
 * elf_sections_close. */
const char *elf_sections_name(const struct elf_sections *sections, size_t index);

/* Returns the size in bytes of an item of TYPE in a file of this class, at least 1. */
size_t elf_sections_size_of(const struct elf_sections *sections, Elf_Type type);

/* Returns the index of the first section of TYPE (0: any) and NAME (NULL: any), or 0 if none exists. */
size_t elf_sections_find(const struct elf_sections *sections, uint32_t type, const char *name);

/* Returns the section's bytes, converted by its type. Returns NULL if it has none in the file, if they are compressed,
 * more than LIMIT, or unreadable. Valid until elf_sections_close. */
Elf_Data *elf_sections_data(const struct elf_sections *sections, size_t index, uint64_t limit);

/* Like elf_sections_data, but also uncompresses a compressed section. */
Elf_Data *elf_sections_unpacked_data(const struct elf_sections *sections, size_t index, uint64_t limit);

/* Finds TEXT in section NAME of FILE. Copies SIZE - 1 bytes from there to FOUND, and appends a 0. Returns false if
 * TEXT is missing, or if too few bytes follow. */
bool elf_sections_find_text(const struct elf_file *file, const char *name, const char *text, char *found, size_t size);

#endif
