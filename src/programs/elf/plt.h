/* SPDX-License-Identifier: MIT
 *
 * The procedure linkage table: which function each of its entries jumps to. */
#ifndef ELF_PLT_H
#define ELF_PLT_H

#include <stddef.h>
#include <stdint.h>

struct elf_sections;

struct elf_plt_entry {
    uint64_t start, end;
    const char *name;   /* name of the function, 0-terminated, in the sections' data; NULL: only RESOLVER is known */
    size_t name_length; /* without a version */
    uint64_t resolver;  /* if NAME is NULL: address of the function that chooses an implementation (IFUNC) */
};

struct elf_plt {
    struct elf_plt_entry *items; /* in no order */
    size_t count, room;
};

/* Appends the entries of the PLT sections of SECTIONS to PLT, which the caller has zeroed. Leaves out entries in an
 * unknown layout. Returns 0 or -ENOMEM. */
int elf_plt_read(struct elf_plt *plt, const struct elf_sections *sections);

/* Frees the entries; PLT is empty afterwards. */
void elf_plt_fini(struct elf_plt *plt);

#endif
