/* SPDX-License-Identifier: MIT
 *
 * Finds the addresses of symbols by their names. */
#ifndef ELF_LOOKUP_H
#define ELF_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_file;

enum { ELF_LOOKUP_MOST = 32 }; /* names at once */

struct elf_lookup {
    const char *name; /* name to look up; a final '*' matches any ending */
    uint64_t vaddr;   /* result: ELF virtual address; for thread-local data, the offset in that data */
    uint64_t size;    /* bytes, 0: not known */
    bool is_found, is_thread_local;
};

/* Looks up the COUNT NAMES in the symbol tables of FILE itself, full tables first. Each result is the first symbol that
 * FILE defines. Returns how many names were found; 0 if no table can be read. */
size_t elf_lookup(const struct elf_file *file, struct elf_lookup *names, size_t count);

/* The same, but does not read a symbol table with more than MOST symbols. */
size_t elf_lookup_within(const struct elf_file *file, struct elf_lookup *names, size_t count, size_t most);

#endif
