/* SPDX-License-Identifier: MIT
 *
 * The procedure linkage table: which function each of its entries jumps to. */
#ifndef ELF_PLT_H
#define ELF_PLT_H

#include "elf/sections.h"

struct elf_plt_entry {
    uint64_t start, end;
    const char *name;   /* of the function, 0-terminated, in the sections' data; NULL: known by RESOLVER only */
    size_t name_length; /* without a version */
    uint64_t resolver;  /* address of the function that chooses among implementations (IFUNC), if NAME is NULL */
};

struct elf_plt {
    struct elf_plt_entry *items; /* in no order */
    size_t count, room;
};

/* Appends the entries of the PLT sections of SECTIONS to PLT, which the caller has zeroed. What a linker has laid
 * out in a way that is not understood is left out. Returns 0 or -ENOMEM. */
int elf_plt_read(struct elf_plt *plt, const struct elf_sections *sections);

/* Frees what it holds; PLT is empty afterwards. */
void elf_plt_fini(struct elf_plt *plt);

#endif
