/* SPDX-License-Identifier: MIT
 *
 * Finds the unwind record of an address: through the search table of .eh_frame_hdr, through all of .eh_frame
 * where there is no such table (static programs), or else through .debug_frame. */
#ifndef ELF_UNWIND_INDEX_H
#define ELF_UNWIND_INDEX_H

#include "elf/file.h"
#include "elf/unwind_record.h"

struct elf_unwind_index;

struct elf_unwind_found {
    const struct elf_unwind_common *common;
    struct elf_unwind_record record;
    uint64_t key; /* no other record of the file has it */
    bool is_go;   /* its code was made by the Go compiler, whose tables are silent about changes of the stack */
};

/* An index of FILE, which must outlive it. Nothing is read before the first question. What is kept then is taken
 * from the bytes at ROOM, and given back when the index is freed; a table for which there is no room is not used.
 * ROOM NULL: any number. NULL if memory runs out. */
struct elf_unwind_index *elf_unwind_index_new(const struct elf_file *file, uint64_t *room);

/* Frees it; NULL is allowed. */
void elf_unwind_index_free(struct elf_unwind_index *index);

/* Finds the record that VADDR is in. FOUND and what it points to are valid until the next question. False if none
 * exists, or it is broken or cannot be read. */
bool elf_unwind_index_find(struct elf_unwind_index *index, uint64_t vaddr, struct elf_unwind_found *found);

#endif
