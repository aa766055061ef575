/* SPDX-License-Identifier: MIT
 *
 * Names for the addresses of an ELF file. They come from its own symbol tables. If it is stripped, they come from a
 * separate debug file or .gnu_debugdata. Entries of the PLT get names from its relocations. Code without a symbol is
 * covered by the ranges of .eh_frame. */
#ifndef ELF_SYMBOLS_H
#define ELF_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

struct elf_file;
struct elf_symbols;
struct error;
struct viewer;

enum elf_symbol_kind {
    ELF_SYMBOL_FUNCTION,
    ELF_SYMBOL_PLT,  /* an entry of a procedure linkage table; the name ends in "@plt" */
    ELF_SYMBOL_RANGE /* a range of .eh_frame without a name */
};

struct elf_symbol {
    const char *name;    /* linker's name (see demangle_name), without a version; NULL for a range. If one address has
                          * several names, the one that a reader would expect. Valid as long as the symbols */
    uint64_t start, end; /* ELF virtual addresses; a symbol without a size ends where the next one begins */
    enum elf_symbol_kind kind;
};

/* Where to look for a separate debug file. The strings are borrowed for the call. */
struct elf_debug_search {
    const char *root;      /* root of the paths, "" or "/proc/PID/root". Debug files are searched below it first, then
                            * without it. NULL: "" */
    const char *directory; /* absolute directory of the ELF file, without root; NULL: unknown */
    const char *const *debug_directories; /* absolute, ended by NULL; NULL: only /usr/lib/debug */
    const struct viewer *viewer;          /* rights with which the file is opened; NULL: ours */
    bool ask_servers;                     /* ask DEBUGINFOD_URLS if no file exists here */
};

/* Reads all names for addresses of FILE into *SYMBOLS, which does not refer to FILE afterwards. Searches for a separate
 * debug file and unpacks .gnu_debugdata, unless SEARCH is NULL or FILE has a .symtab. Broken tables give fewer symbols,
 * but no error. Returns 0, or -errno with ERROR set and *SYMBOLS NULL: -ENOMEM, -ENOEXEC if the file has changed and is
 * not an ELF file now, -EIO and others from reading. */
int elf_symbols_new(const struct elf_file *file, const struct elf_debug_search *search, struct elf_symbols **symbols,
                    struct error *error);

/* Returns an estimate of the memory for SYMBOLS. */
uint64_t elf_symbols_bytes(const struct elf_symbols *symbols);

/* Frees SYMBOLS; NULL is allowed. */
void elf_symbols_free(struct elf_symbols *symbols);

/* Sets *FOUND to the innermost symbol that covers ELF virtual address VADDR, or to the range of .eh_frame there.
 * Returns false, with *FOUND untouched, if neither exists. For a caller's frame, pass its return address - 1. */
bool elf_symbols_find(const struct elf_symbols *symbols, uint64_t vaddr, struct elf_symbol *found);

/* Returns the languages of the compilers that made it, for languages_demangle. */
unsigned elf_symbols_languages(const struct elf_symbols *symbols);

/* Returns true if a .symtab was found, in the file or elsewhere. With .dynsym alone, only exported functions have
 * names. */
bool elf_symbols_has_full_table(const struct elf_symbols *symbols);

#endif
