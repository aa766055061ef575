/* SPDX-License-Identifier: MIT
 *
 * Finds the unwind record of an address. It reads the search table of .eh_frame_hdr, or all of .eh_frame if that
 * table is missing (static programs). If both have no record, it reads .debug_frame. */
#ifndef ELF_UNWIND_INDEX_H
#define ELF_UNWIND_INDEX_H

#include "elf/file.h"
#include "elf/unwind_record.h"

struct elf_unwind_index;

struct elf_unwind_found {
    const struct elf_cie *common;
    struct elf_fde record;
    uint64_t key; /* no other record of the file has it */
    bool is_go;   /* Go compiled its code: the tables do not mention changes of the stack */
};

/* Returns an index of FILE, which must outlive the index. Nothing is read before the first lookup. The bytes that
 * are then kept are taken from *ROOM, and given back when the index is freed. A table too large for *ROOM is not
 * used. ROOM NULL: no limit. Returns NULL if memory runs out. */
struct elf_unwind_index *elf_unwind_index_new(const struct elf_file *file, uint64_t *room);

/* Frees it; NULL is allowed. */
void elf_unwind_index_free(struct elf_unwind_index *index);

/* Finds the record that VADDR is in. FOUND and what it points to are valid until the next question. False if none
 * exists, or it is broken or cannot be read. */
bool elf_unwind_index_find(struct elf_unwind_index *index, uint64_t vaddr, struct elf_unwind_found *found);

#endif
