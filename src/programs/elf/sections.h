/* SPDX-License-Identifier: MIT
 *
 * Sections of an ELF file. A section header is trusted only as far as the file confirms it. */
#ifndef ELF_SECTIONS_H
#define ELF_SECTIONS_H

#include "programs/elf/image.h"

/* What a section is a list of. */
enum elf_data_type { ELF_DATA_BYTES, ELF_DATA_SYMBOLS, ELF_DATA_RELA, ELF_DATA_REL, ELF_DATA_DYNAMIC };

/* The bytes of a section. */
struct elf_data {
    void *bytes;
    size_t size;
    enum elf_data_type type;
    bool is_compat; /* its items are those of a 32-bit file */
};

struct elf_sections {
    const struct elf_file *file;
    size_t count; /* includes section 0, which is unused */
    Elf64_Shdr *headers;
    struct elf_data *data;  /* of each section: read at the first use */
    struct elf_data *names; /* NULL: sections have no names */
};

/* Opens the sections of FILE, which must outlive them. Returns 0, or -errno with ERROR set and SECTIONS
 * zeroed. */
int elf_sections_open(struct elf_sections *sections, const struct elf_file *file, struct error *error);

/* Frees everything from elf_sections_open, including all data. Zeroed SECTIONS are allowed. */
void elf_sections_close(struct elf_sections *sections);

/* Sets *HEADER to the header of section INDEX. Returns false, with *HEADER undefined, if it does not exist. */
bool elf_sections_header(const struct elf_sections *sections, size_t index, Elf64_Shdr *header);

/* Returns the section's name, 0-terminated, of less than 64 bytes, or "" if it has none. Valid until
 * elf_sections_close. */
const char *elf_sections_name(const struct elf_sections *sections, size_t index);

/* Returns the size in bytes of an item of TYPE in a file of this class. */
size_t elf_sections_size_of(const struct elf_sections *sections, enum elf_data_type type);

/* Returns the index of the first section of TYPE (0: any) and NAME (NULL: any), or 0 if none exists. */
size_t elf_sections_find(const struct elf_sections *sections, uint32_t type, const char *name);

/* Returns the section's bytes. Returns NULL if it has none in the file, if they are compressed, more than LIMIT, or
 * unreadable. Valid until elf_sections_close. */
struct elf_data *elf_sections_data(const struct elf_sections *sections, size_t index, uint64_t limit);

/* Returns the bytes of a compressed section, with their header. Otherwise like elf_sections_data. */
struct elf_data *elf_sections_packed_data(const struct elf_sections *sections, size_t index, uint64_t limit);

/* Read item NUMBER of DATA, which may be NULL, in the form of a 64-bit file. Return false if it does not exist, or DATA
 * has other items. elf_data_relocation: of either type, without an addend it is 0. */
bool elf_data_symbol(const struct elf_data *data, size_t number, Elf64_Sym *symbol);
bool elf_data_relocation(const struct elf_data *data, size_t number, Elf64_Rela *relocation);
bool elf_data_dynamic(const struct elf_data *data, size_t number, Elf64_Dyn *entry);

/* Read number NUMBER of DATA, a list of words or of versions. */
bool elf_data_word(const struct elf_data *data, size_t number, uint32_t *word);
bool elf_data_version(const struct elf_data *data, size_t number, uint16_t *version);

/* Finds TEXT in section NAME of FILE. Copies SIZE - 1 bytes from there to FOUND, and appends a 0. Returns false if
 * TEXT is missing, or if too few bytes follow. */
bool elf_sections_find_text(const struct elf_file *file, const char *name, const char *text, char *found, size_t size);

#endif
