/* SPDX-License-Identifier: MIT
 *
 * Reads the functions of a symbol table that are plausible. */
#ifndef ELF_TABLE_H
#define ELF_TABLE_H

#include "elf/alias.h"
#include "elf/sections.h"

/* A symbol that may name code. Its alias's name points into the sections that it was read from. */
struct elf_candidate {
    uint64_t start, size; /* size 0: not known */
    uint64_t limit;       /* where its section ends */
    struct elf_alias alias;
};

struct elf_candidates {
    struct elf_candidate *items;
    size_t count, room;
    uint64_t name_bytes; /* read until now: the names of a hostile table may overlap */
};

/* A symbol table and what belongs to it. All but symbols and strings may be NULL. */
struct elf_table {
    const struct elf_sections *sections;
    Elf_Data *symbols, *strings, *versions, *long_indices;
};

/* Opens SECTIONS' first table of TYPE, SHT_SYMTAB or SHT_DYNSYM. False if none exists that can be read. What TABLE
 * points to is valid until elf_sections_close. */
bool elf_table_open(struct elf_table *table, const struct elf_sections *sections, uint32_t type);

/* True if symbol NUMBER is there for programs that were linked long ago only: new ones get another version. */
bool elf_table_has_old_version(const struct elf_table *table, int number);

/* Appends a copy of CANDIDATE. Returns 1, 0 if there are too many candidates or bytes of names, or -ENOMEM. */
int elf_candidates_add(struct elf_candidates *candidates, const struct elf_candidate *candidate);

/* Appends the functions and code labels of the first table of TYPE (SHT_SYMTAB or SHT_DYNSYM) in SECTIONS, if they
 * are in executable segments of FILE. Returns how many, or -ENOMEM. */
long elf_table_gather(struct elf_candidates *candidates, const struct elf_sections *sections, uint32_t type,
                      const struct elf_file *file);

/* The name at OFFSET of string table STRINGS with its *LENGTH, or NULL if it is not there, empty, or longer
 * than any name is. It is 0-terminated. */
const char *elf_table_string(const Elf_Data *strings, uint64_t offset, size_t *length);

/* Limits on what is read of a file's tables, in bytes. */
#define ELF_TABLE_SYMBOLS_MAX (UINT64_C(256) << 20)
#define ELF_TABLE_STRINGS_MAX (UINT64_C(512) << 20)

#endif
