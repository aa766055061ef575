/* SPDX-License-Identifier: MIT
 *
 * From the names of symbols to their addresses. */
#ifndef ELF_LOOKUP_H
#define ELF_LOOKUP_H

#include "elf/file.h"

enum { ELF_LOOKUP_MOST = 32 }; /* names at once */

struct elf_lookup {
    const char *name; /* what is looked for; one that ends in '*' means all that begin so */
    uint64_t vaddr;   /* what was found: ELF virtual address, or, of thread-local data, the offset in these; */
    uint64_t size;    /* bytes, 0: not known */
    bool is_found, is_thread_local;
};

/* Looks for the COUNT NAMES in the symbol tables of FILE itself, full ones first, and sets what was found of each: the
 * first one that FILE defines. Returns how many there are; 0 where there is no table that can be read. */
size_t elf_lookup(const struct elf_file *file, struct elf_lookup *names, size_t count);

#endif
