/* SPDX-License-Identifier: MIT
 *
 * Finds the unwind record of an address. Reads the search table of .eh_frame_hdr, or all of .eh_frame if that table is
 * missing (static programs). If both have no record, reads .debug_frame. */
#ifndef ELF_UNWIND_INDEX_H
#define ELF_UNWIND_INDEX_H

#include "programs/elf/unwind_record.h"

#include <stddef.h>
#include <stdint.h>

struct elf_file;
struct elf_unwind_index;

struct elf_unwind_found {
    const struct elf_cie *common;
    struct elf_fde record;
    uint64_t key; /* unique number of the record in the file */
};

/* Returns the unpacked .debug_frame of the ELF file FD, at most MOST bytes, to be freed, and its size in *SIZE; or
 * NULL. To unpack it here would let strangers' bytes reach a library. */
typedef uint8_t *elf_unwind_unpack(int fd, uint64_t most, size_t *size);

/* Returns an index of FILE, which must outlive the index. Reads nothing before the first lookup. UNPACK reads a
 * compressed .debug_frame; NULL: it is left out. Takes the bytes of stored tables from *ROOM, and gives them back when
 * the index is freed. A table too large for *ROOM is not used. ROOM NULL: no limit. Returns NULL if memory runs out. */
struct elf_unwind_index *elf_unwind_index_new(const struct elf_file *file, elf_unwind_unpack *unpack, uint64_t *room);

/* Returns the bytes of stored tables. */
uint64_t elf_unwind_index_bytes(const struct elf_unwind_index *index);

/* Frees it; NULL is allowed. */
void elf_unwind_index_free(struct elf_unwind_index *index);

/* Finds the record for VADDR. FOUND and its pointers are valid until the next call. Returns false if none exists, or if
 * it is broken or cannot be read. */
bool elf_unwind_index_find(struct elf_unwind_index *index, uint64_t vaddr, struct elf_unwind_found *found);

/* What the tables of Go code do not mention. */
enum elf_go_code {
    ELF_GO_NONE,   /* no Go code */
    ELF_GO_CALLED, /* it has a caller, but may switch to another stack */
    ELF_GO_LAST,   /* it has no caller */
    ELF_GO_THREAD, /* it has no caller after it has switched to another stack */
};

/* Returns which code is at VADDR, for which elf_unwind_index_find was called last. */
enum elf_go_code elf_unwind_index_go(const struct elf_unwind_index *index, uint64_t vaddr);

#endif
