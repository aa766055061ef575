/* SPDX-License-Identifier: MIT
 *
 * One record of an unwind table: its addresses, and the instructions for unwinding there. .debug_frame has nearly the
 * format of .eh_frame. Pure; owns nothing. */
#ifndef ELF_UNWIND_RECORD_H
#define ELF_UNWIND_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cursor;

enum elf_unwind_format { ELF_UNWIND_EH_FRAME, ELF_UNWIND_DEBUG_FRAME };

/* The data that many records share, in a record of its own (the common record, CIE). */
struct elf_cie {
    uint8_t encoding;      /* encoding of the addresses in its records */
    bool has_augmentation; /* its records have more data after the addresses */
    bool is_compat;        /* of a 32-bit program */
    bool is_signal;        /* its records describe code that signal handlers return to */
    uint64_t code_alignment, return_register;
    int64_t data_alignment;
    const uint8_t *code; /* instructions to be run before each record's own */
    size_t code_size;
};

struct elf_fde {
    uint64_t start, end; /* ELF virtual addresses */
    const uint8_t *code;
    size_t code_size;
};

/* Takes the next record from TABLE, and sets RECORD to the bytes after its length. Returns false at the end of the
 * table, or if the length is impossible. Then both cursors are useless. */
bool elf_unwind_open(struct cursor *table, struct cursor *record);

/* Reads the field that gives RECORD's kind, at offset HERE of its table. Returns false if RECORD is a common record
 * or broken. Otherwise sets *COMMON to the offset of the length of its common record, which is not checked yet. */
bool elf_unwind_refers(struct cursor *record, enum elf_unwind_format format, uint64_t here, uint64_t *common);

/* Reads a common record from RECORD, as elf_unwind_open left it. COMPAT: the file is a 32-bit one. Returns false if it
 * is not a common record, or is broken. If its augmentation is not fully understood, its records are useless, which
 * elf_unwind_read_record reports. */
bool elf_unwind_read_common(struct cursor record, enum elf_unwind_format format, bool compat, struct elf_cie *common);

/* Reads a record from CURSOR, as elf_unwind_refers left it, at ELF virtual address VADDR. COMMON is its common
 * record. Returns false if it is broken, empty or not understood. */
bool elf_unwind_read_record(struct cursor *cursor, const struct elf_cie *common, uint64_t vaddr,
                            struct elf_fde *record);

/* Reads a pointer at VADDR with ENCODING (DW_EH_PE_). Returns false if it is broken, or of a kind that no compiler
 * writes for code. */
bool elf_unwind_read_pointer(struct cursor *cursor, uint8_t encoding, uint64_t vaddr, uint64_t *pointer);

#endif
