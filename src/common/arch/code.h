/* SPDX-License-Identifier: MIT
 *
 * Recognizes a few instructions of functions. Pure, except that arch_breakpoint_compat executes one. */
#ifndef ARCH_PLT_SLOT_H
#define ARCH_PLT_SLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What one entry of the procedure linkage table does. */
struct arch_plt_slot {
    enum {
        ARCH_PLT_SLOT_OTHER,
        ARCH_PLT_SLOT_JUMP,      /* jumps to where the word at VALUE, an ELF virtual address, points */
        ARCH_PLT_SLOT_LAZY,      /* pushes VALUE, the number of a relocation in .rela.plt, for the dynamic linker */
        ARCH_PLT_SLOT_RETPOLINE, /* not an entry, but code that entries use to jump */
    } kind;
    size_t size; /* bytes; 0: the usual size */
    uint64_t value;
};

/* Decodes the entry at BYTES, loaded at VADDR; SIZE bytes can be read. */
struct arch_plt_slot arch_plt_slot_decode(const uint8_t *bytes, size_t size, uint64_t vaddr);

/* Like arch_plt_slot_decode, for a 32-bit program. GOT: the ELF virtual address of its global offset table, to which
 * position-independent entries are relative. */
struct arch_plt_slot arch_plt_slot_decode_compat(const uint8_t *bytes, size_t size, uint64_t got);

/* Returns true if the SIZE bytes of CODE begin with a return instruction. */
bool arch_is_return(const uint8_t *code, size_t size);

/* Returns true if a jump may be written AT bytes into CODE, of SIZE bytes. CODE must begin with a function that only
 * returns, and the jump must cover no other code that is ever executed. */
bool arch_jump_fits(const uint8_t *code, size_t size, size_t at);

/* Returns the size of the landing mark at the beginning of CODE (SIZE bytes), which allows indirect calls to lead
 * there; 0: none. */
size_t arch_landing_mark(const uint8_t *code, size_t size);
size_t arch_landing_mark_compat(const uint8_t *code, size_t size);

/* CODE is a function that makes a system call and sets errno. Returns the offset just after the system call, or 0 if
 * the function looks different. */
size_t arch_call_tail(const uint8_t *code, size_t size);
/* The same for a 32-bit program. Returns the offset where it compares the result with the error numbers, with the stack
 * as at the function's entry. */
size_t arch_call_tail_compat(const uint8_t *code, size_t size);

/* A part of a function: the offsets of its first byte and of the byte after it. */
struct arch_part {
    size_t start, end;
};

/* A location of a word while the PC is in PART: in a register, or in memory at the register's value plus OFFSET. */
struct arch_place {
    struct arch_part part;
    unsigned number; /* the register, see arch_general */
    bool is_stored;  /* in memory */
    int64_t offset;
};

enum { ARCH_PLACES_MOST = 6 };

/* How a function puts a variable on its stack in front of a list. */
struct arch_linking {
    struct arch_part part;                      /* from the store to the list's head until the variable is filled in */
    int64_t variable;                           /* the variable's address minus the stack pointer in PART */
    struct arch_place places[ARCH_PLACES_MOST]; /* where the previous variable's word can be found */
    size_t count;
};

/* Analyses the function CODE (SIZE bytes), which is expected to put a variable in front of a list. The function's first
 * argument points to a struct; the list's head, the address of the previous variable, is at OFFSET in it (a multiple of
 * 8 below 128). The function first stores the address of its own variable there, and later a word at INNER in its own
 * variable. *LINKING has the places where the word at INNER of the previous variable is certain to be found between the
 * two stores. Returns false if the function looks different. */
bool arch_find_linking(const uint8_t *code, size_t size, uint8_t offset, uint8_t inner, struct arch_linking *linking);

/* Finds a breakpoint byte for a 32-bit program's CODE (SIZE bytes). In place of the first byte, *BYTE makes an
 * instruction that faults with SIGILL and does not advance. Tests once, by executing such an instruction, whether this
 * processor faults. Returns false if no byte works. */
bool arch_breakpoint_compat(const uint8_t *code, size_t size, uint8_t *byte);

/* For a handler of SIGSYS, with its CONTEXT. Returns argument NUMBER (0 to 2) of the system call. arch_context_answer
 * sets the result of the call. */
unsigned long arch_context_argument(const void *context, unsigned number);
void arch_context_answer(void *context, long result);

#endif
