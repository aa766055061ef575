/* SPDX-License-Identifier: MIT
 *
 * What the x86-64 instructions of one PLT entry do. Pure. */
#ifndef ELF_PLT_SLOT_H
#define ELF_PLT_SLOT_H

#include <stddef.h>
#include <stdint.h>

struct elf_plt_slot {
    enum {
        ELF_PLT_SLOT_OTHER,
        ELF_PLT_SLOT_JUMP, /* jumps to where the word at VALUE, an ELF virtual address, points */
        ELF_PLT_SLOT_LAZY, /* pushes VALUE, the number of a relocation in .rela.plt, for the dynamic linker */
    } kind;
    uint64_t value;
};

/* Decodes the entry at BYTES, of which SIZE can be read, loaded at VADDR. */
struct elf_plt_slot elf_plt_slot_decode(const uint8_t *bytes, size_t size, uint64_t vaddr);

#endif
