/* SPDX-License-Identifier: MIT
 *
 * Names for the addresses of an ELF file: from its own symbol tables, from a separate debug file or
 * .gnu_debugdata where it was stripped, for the PLT from its relocations, and for what no symbol covers the
 * ranges of .eh_frame. */
#ifndef ELF_SYMBOLS_H
#define ELF_SYMBOLS_H

#include "base/viewer.h"
#include "elf/file.h"

struct elf_symbols;

enum elf_symbol_kind {
    ELF_SYMBOL_FUNCTION,
    ELF_SYMBOL_PLT,  /* an entry of a procedure linkage table; the name ends in "@plt" */
    ELF_SYMBOL_RANGE /* a range of .eh_frame without a name */
};

struct elf_symbol {
    const char *name; /* linker's name (see demangle_name), without a version; NULL for a range. The name that a reader
                         would expect, if one address has several. Valid as long as the symbols */
    uint64_t start, end; /* ELF virtual addresses; the end of a symbol without a size is where the next one begins */
    enum elf_symbol_kind kind;
};

/* Where to look for a separate debug file. The strings are borrowed for the call. */
struct elf_debug_search {
    const char *root;      /* what the paths are relative to, "" or "/proc/PID/root"; debug files are looked for
                              there first and then without it. NULL is "" */
    const char *directory; /* absolute directory of the ELF file, without root; NULL: not known */
    const char *const *debug_directories; /* absolute, ended by NULL; NULL: only /usr/lib/debug */
    const struct viewer *viewer;          /* the file is opened with these rights; NULL: ours */
    bool ask_servers;                     /* asks DEBUGINFOD_URLS if no file exists here */
};

/* Reads all names for addresses of FILE into *SYMBOLS, which does not refer to FILE afterwards. Searches for a
 * separate debug file, unless SEARCH is NULL or FILE has a .symtab. Broken tables give fewer symbols, but no error.
 * Returns 0, or -errno with ERROR set and *SYMBOLS NULL: -ENOMEM, -ENOEXEC if the file has changed and is not an ELF
 * file now, -EIO and others from reading. */
int elf_symbols_new(const struct elf_file *file, const struct elf_debug_search *search, struct elf_symbols **symbols,
                    struct error *error);

/* Frees SYMBOLS; NULL is allowed. */
void elf_symbols_free(struct elf_symbols *symbols);

/* Sets *FOUND to the innermost symbol that covers ELF virtual address VADDR, or to the range of .eh_frame there.
 * Returns false, with *FOUND untouched, if neither exists. For a caller's frame pass its return address - 1. */
bool elf_symbols_find(const struct elf_symbols *symbols, uint64_t vaddr, struct elf_symbol *found);

/* True if any function has a name: false where only ranges and perhaps the PLT are known. */
bool elf_symbols_has_table(const struct elf_symbols *symbols);

/* The languages whose compilers made some of it, for languages_demangle. */
unsigned elf_symbols_languages(const struct elf_symbols *symbols);

/* True if a .symtab was found, in the file or elsewhere. With .dynsym alone only what the file exports has
 * names. */
bool elf_symbols_has_full_table(const struct elf_symbols *symbols);

#endif
