/* SPDX-License-Identifier: MIT
 *
 * Walks the records of .eh_frame or .debug_frame, and reads the header that leads to the records of .eh_frame. Pure. */
#ifndef ELF_UNWIND_TABLE_H
#define ELF_UNWIND_TABLE_H

#include "programs/elf/unwind_record.h"

/* Called for each record, in the order of the table. The record is at OFFSET and covers the addresses from START to
 * END. Return false to end the walk. */
typedef bool elf_unwind_visit(void *owner, uint64_t start, uint64_t end, uint64_t offset);

/* Calls VISIT with OWNER for each record of a table of FORMAT: the SIZE bytes at BYTES, loaded at VADDR (0 for
 * .debug_frame, which is not loaded). COMPAT: in a 32-bit file. Ends at the terminator, at the end, or where the table
 * is broken. Skips records of unknown kinds. Returns false if VISIT ended it. */
bool elf_unwind_table_walk(const uint8_t *bytes, size_t size, uint64_t vaddr, enum elf_unwind_format format,
                           bool compat, elf_unwind_visit *visit, void *owner);

/* Sets *START to the address of .eh_frame according to .eh_frame_hdr, the SIZE bytes at BYTES, loaded at VADDR. Returns
 * false, with *START untouched, if they are broken or of an unknown kind. */
bool elf_unwind_table_start(const uint8_t *bytes, size_t size, uint64_t vaddr, uint64_t *start);

/* One line of the search table in .eh_frame_hdr, as linkers write it. */
struct elf_unwind_line {
    int32_t start, record; /* addresses, relative to the header's address */
};

/* Returns the offset of the search table in the SIZE bytes of .eh_frame_hdr at BYTES, and sets *COUNT to its number of
 * lines, sorted by start. Returns 0 if it has none, is incomplete, or has another form. */
size_t elf_unwind_table_lines(const uint8_t *bytes, size_t size, size_t *count);

#endif
