/* SPDX-License-Identifier: MIT
 *
 * What a few instructions of functions do. Pure. */
#ifndef ARCH_PLT_SLOT_H
#define ARCH_PLT_SLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What one entry of the procedure linkage table does. */
struct arch_plt_slot {
    enum {
        ARCH_PLT_SLOT_OTHER,
        ARCH_PLT_SLOT_JUMP, /* jumps to where the word at VALUE, an ELF virtual address, points */
        ARCH_PLT_SLOT_LAZY, /* pushes VALUE, the number of a relocation in .rela.plt, for the dynamic linker */
    } kind;
    uint64_t value;
};

/* Decodes the entry at BYTES, of which SIZE can be read, loaded at VADDR. */
struct arch_plt_slot arch_plt_slot_decode(const uint8_t *bytes, size_t size, uint64_t vaddr);

/* True if the SIZE bytes of CODE begin with an instruction that returns. */
bool arch_is_return(const uint8_t *code, size_t size);
/* The same of a 32-bit program, in which position-independent entries count from GOT, the ELF virtual address of its
 * table of addresses. */
struct arch_plt_slot arch_plt_slot_decode_narrow(const uint8_t *bytes, size_t size, uint64_t got);

/* Bytes of the mark at the beginning of CODE, of SIZE bytes, that says that indirect calls may lead there; 0: there is
 * none. */
size_t arch_landing_mark(const uint8_t *code, size_t size);

/* Where in SIZE bytes of CODE, of a function that makes a system call and errno of its result, it is just after the
 * system call. 0 if it looks otherwise. */
size_t arch_call_tail(const uint8_t *code, size_t size);

/* Of CONTEXT, which a handler of SIGSYS was given: argument NUMBER (from 0 on, at most 2) of the system call. The
 * second sets what the call returns. */
unsigned long arch_context_argument(const void *context, unsigned number);
void arch_context_answer(void *context, long result);

#endif
