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
    ELF_SYMBOL_RANGE /* only a range of .eh_frame is known: there is no name */
};

struct elf_symbol {
    const char *name;    /* as the linker knows it (see demangle_name), without a version; NULL for a range.
                            Of several at one address, the one that a reader would expect. Valid as long as the
                            symbols */
    uint64_t start, end; /* ELF virtual addresses; the end of a symbol without a size is where the next one begins */
    enum elf_symbol_kind kind;
};

/* Where to look for a separate debug file. The strings are borrowed for the call. */
struct elf_debug_search {
    const char *root;      /* what the paths are relative to, "" or "/proc/PID/root"; debug files are looked for
                              there first and then without it. NULL is "" */
    const char *directory; /* absolute directory of the ELF file, without root; NULL: not known */
    const char *const *debug_directories; /* absolute, ended by NULL; NULL: only /usr/lib/debug */
    const struct viewer *viewer;          /* by whose rights it is opened; NULL: ours */
    bool ask_servers;                     /* those that DEBUGINFOD_URLS names, if none exists here */
};

/* Reads all that names addresses of FILE into *SYMBOLS, which does not refer to FILE afterwards. SEARCH NULL:
 * no separate debug file is looked for, nor if FILE has a .symtab. Broken tables give fewer symbols and are
 * no error. Returns 0, or -errno with ERROR set and *SYMBOLS NULL: -ENOMEM, -ENOEXEC if the file has changed
 * and is no ELF file any more, -EIO and others from reading. */
int elf_symbols_new(const struct elf_file *file, const struct elf_debug_search *search, struct elf_symbols **symbols,
                    struct error *error);

/* Frees SYMBOLS; NULL is allowed. */
void elf_symbols_free(struct elf_symbols *symbols);

/* Sets *FOUND to what ELF virtual address VADDR belongs to: the innermost symbol that covers it, else the
 * range of .eh_frame. False, with *FOUND untouched, if it is in neither. For a caller's frame pass its return
 * address - 1. */
bool elf_symbols_find(const struct elf_symbols *symbols, uint64_t vaddr, struct elf_symbol *found);

/* True if any function has a name: false where only ranges and perhaps the PLT are known. */
bool elf_symbols_has_table(const struct elf_symbols *symbols);

/* True if some of it was made by an Ada compiler (GNAT), see demangle_ada. */
bool elf_symbols_has_ada(const struct elf_symbols *symbols);

/* True if a .symtab was found, in the file or elsewhere. With .dynsym alone only what the file exports has
 * names. */
bool elf_symbols_has_full_table(const struct elf_symbols *symbols);

#endif
