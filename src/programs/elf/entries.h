/* SPDX-License-Identifier: MIT
 *
 * Where profil and sprofil begin in an ELF file, and what else ptprofil needs to know about the file to serve them. The
 * soname identifies a C library. In a static program, the aliases that glibc has for its functions identify the C
 * library. A function that has only the name is the program's own, and does not count. */
#ifndef ELF_ENTRIES_H
#define ELF_ENTRIES_H

#include <stdbool.h>
#include <stdint.h>

struct elf_file;

/* One instruction. */
struct elf_entry {
    uint64_t vaddr;  /* ELF virtual address in an executable segment; 0: none */
    uint8_t byte;    /* the byte in the file that a breakpoint replaces */
    uint8_t planted; /* the breakpoint byte */
};

struct elf_entries {
    bool refers;  /* it needs profil, sprofil or the start-up code of gprof. A static program counts if it contains one
                   * of them, as nearly every static program with glibc does: dlopen brings profil along */
    bool filters; /* it needs (a static program: contains) prctl or seccomp_load, which can set a filter of system
                   * calls */
    bool clones;  /* it needs a function that can make a child with flags of clone: a tracer may not see such a child */
    bool numbers; /* it needs (a static program: contains) syscall(), which makes any system call by its number, for
                   * example to set a filter */
    bool is_static; /* a program that starts without a dynamic linker */

    /* First instructions of the C library's functions. The tail is set if and only if one of them is found. */
    struct elf_entry profil, sprofil;
    uint64_t room; /* address after the code of these or of debug_state, in its last page; 0: none, or unusable */
    uint64_t tail; /* address just after the system call in the C library's setitimer, where it sets errno by the result
                    * and returns. In a 32-bit library: in munmap, where the stack is as at its entry; 0: none */

    /* Entry of a dynamic linker's function that is called when objects have been loaded, and that only returns: its
     * `ret`, or the landing mark before. DEBUG_STATE_END: its end. */
    struct elf_entry debug_state;
    uint64_t debug_state_end;
    bool debug_state_jump; /* a jump would cover only this function */
};

/* Fills ENTRIES from FILE. Parts that are missing or unexpected are 0 or false. Returns 0, or -errno with *ENTRIES
 * zeroed: -ENOEXEC if the file is broken or has changed since it was opened, -ENOMEM, or an error of reading. */
int elf_entries_find(const struct elf_file *file, struct elf_entries *entries);

#endif
