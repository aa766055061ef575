/* SPDX-License-Identifier: MIT
 *
 * Reads the plausible functions of a symbol table. */
#ifndef ELF_TABLE_H
#define ELF_TABLE_H

#include "programs/elf/alias.h"
#include "programs/elf/sections.h"

/* A symbol that may name code. Its alias's name points into the sections that it was read from. */
struct elf_candidate {
    uint64_t start, size; /* size 0: not known */
    uint64_t limit;       /* where its section ends */
    struct elf_alias alias;
    uint64_t whole; /* for a part of a function: where that begins; 0: not known */
    size_t suffix;  /* offset of the part's suffix in its name */
};

struct elf_candidates {
    struct elf_candidate *items;
    size_t count, room;
    uint64_t name_bytes; /* bytes read so far: the names of a hostile table may overlap */
};

/* A symbol table and its related sections. All except symbols and strings may be NULL. */
struct elf_table {
    const struct elf_sections *sections;
    struct elf_data *symbols, *strings, *versions, *long_indices;
};

/* Opens the first table of TYPE (SHT_SYMTAB or SHT_DYNSYM) in SECTIONS. Returns false if none can be read. The data of
 * TABLE is valid until elf_sections_close. */
bool elf_table_open(struct elf_table *table, const struct elf_sections *sections, uint32_t type);

/* Returns true if symbol NUMBER exists only for programs that were linked long ago: new programs get another
 * version. */
bool elf_table_has_old_version(const struct elf_table *table, size_t number);

/* Appends a copy of CANDIDATE. Returns 1, 0 if there are too many candidates or bytes of names, or -ENOMEM. */
int elf_candidates_add(struct elf_candidates *candidates, const struct elf_candidate *candidate);

/* Appends the functions and code labels of the first table of TYPE (SHT_SYMTAB or SHT_DYNSYM) in SECTIONS, if they
 * are in executable segments of FILE. Returns how many, or -ENOMEM. */
long elf_table_gather(struct elf_candidates *candidates, const struct elf_sections *sections, uint32_t type,
                      const struct elf_file *file);

/* The same for the table of functions that a Go program uses for its own stack traces. Programs without symbols have
 * it, too. SECTIONS belong to FILE. Reads tables of Go 1.16 and later. Returns 0 without such a table. */
long elf_go_table_gather(struct elf_candidates *candidates, const struct elf_sections *sections,
                         const struct elf_file *file);

/* Functions of a Go program that have no caller: where one would be, the stack has any word. */
enum { ELF_GO_ENDS_MOST = 4 };
struct elf_go_ends {
    struct elf_go_end {
        uint64_t start, end; /* ELF virtual addresses */
        bool begins_thread;  /* it has no caller only after it has switched to a new thread's stack */
    } items[ELF_GO_ENDS_MOST];
    size_t count;
};

/* Sets ENDS to them, by the same table. */
void elf_go_table_ends(const struct elf_sections *sections, const struct elf_file *file, struct elf_go_ends *ends);

/* Returns the 0-terminated name at OFFSET of string table STRINGS, and its *LENGTH. Returns NULL if it is not there,
 * empty, or longer than any name. */
const char *elf_table_string(const struct elf_data *strings, uint64_t offset, size_t *length);

/* Limits on the bytes read from a file's tables. */
#define ELF_TABLE_SYMBOLS_MAX (UINT64_C(256) << 20)
#define ELF_TABLE_STRINGS_MAX (UINT64_C(512) << 20)

#endif
