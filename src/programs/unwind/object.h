/* SPDX-License-Identifier: MIT
 *
 * An ELF file as the unwinder sees it. Each object has its own range of numbers for its code, independent of the
 * addresses in each process. So results for an instruction are valid in all processes. */
#ifndef UNWIND_OBJECT_H
#define UNWIND_OBJECT_H

#include "common/base/buffer.h"
#include "common/base/hash.h"

/* The rules of a function, at byte PLACE of the object's rules. They are a small .eh_frame, after a search table of one
 * line (8 bytes) that points to it. */
struct unwind_rules {
    uint64_t start, end; /* ELF virtual addresses */
    uint64_t key;
    uint64_t place; /* a multiple of 8 */
    bool is_signal; /* a signal handler returns to this code */
};

struct unwind_object {
    struct elf_file *file;
    struct elf_unwind_index *tables; /* NULL: not needed */
    uint64_t base;                   /* the number of TEXT */
    uint64_t text;                   /* ELF virtual address, a multiple of the page size */
    struct buffer bytes;             /* of the rules */
    struct unwind_rules *items;
    size_t count, room;
    struct hash index;
    struct elf_symbols *symbols; /* NULL: not needed yet, or not available */
    bool has_looked;             /* for the symbols */
};

/* Returns true if the code at VADDR has a number. */
bool unwind_object_numbered(const struct unwind_object *object, uint64_t vaddr);

/* Returns true if NUMBER is a number of OBJECT's code. */
bool unwind_object_has(const struct unwind_object *object, uint64_t number);

/* Return the number of the code at VADDR, or of the rules at PLACE. */
uint64_t unwind_object_number(const struct unwind_object *object, uint64_t vaddr);
uint64_t unwind_object_rules_number(const struct unwind_object *object, uint64_t place);

/* Returns the rules of the code at VADDR, or NULL if none exist. Valid until the next call. */
const struct unwind_rules *unwind_object_rules(struct unwind_object *object, uint64_t vaddr);

/* Sets *START and *END to the bounds of the function at VADDR, by its symbol or by its unwind table. Returns false
 * if it has neither. */
bool unwind_object_bounds(struct unwind_object *object, uint64_t vaddr, uint64_t *start, uint64_t *end);

/* Reads the 8 bytes at NUMBER. Returns false if NUMBER is not in the rules. */
bool unwind_object_read_rules(const struct unwind_object *object, uint64_t number, uint64_t *word);

#endif
