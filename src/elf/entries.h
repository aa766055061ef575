/* SPDX-License-Identifier: MIT
 *
 * Where profil and sprofil are entered in an ELF file, and what else a supervisor needs to know of the file
 * in order to serve them. A C library is known by its soname, a static program's C library by the aliases
 * that glibc has for its functions: a function that merely has the name is somebody else's, and is not among
 * the entries. */
#ifndef ELF_ENTRIES_H
#define ELF_ENTRIES_H

#include "elf/file.h"

/* One instruction. */
struct elf_entry {
    uint64_t vaddr;  /* ELF virtual address in an executable segment; 0: none */
    uint8_t byte;    /* the instruction's byte in the file that a breakpoint replaces */
    uint8_t planted; /* the breakpoint byte */
};

struct elf_entries {
    bool refers; /* it needs profil, sprofil or the start-up code of gprof. Static: it contains one of them, like nearly
                    every static program of glibc, because dlopen brings profil along */
    bool filters; /* it needs, static: it contains, prctl or seccomp_load, which can set a filter of system calls */
    bool clones;  /* it needs a function that makes a child by flags of clone: a tracer may not see it */
    bool numbers; /* it needs, static: it contains, syscall(), which makes any system call by its number, also to set a
                     filter */
    bool is_static; /* a program that is started without a dynamic linker */

    /* First instructions of the C library's functions. The tail is set if, and only if, one of them is found. */
    struct elf_entry profil, sprofil;
    uint64_t room; /* address behind the code of these or of debug_state, in its last page; 0: none, or unusable */
    uint64_t tail; /* just after the system call in the C library's setitimer, where it sets errno by the result and
                      returns. In a 32-bit library: in munmap, where the stack is as at its entry; 0: none */

    /* A dynamic linker's function that is called when objects have been loaded, and does nothing but return: its `ret`,
     * or what is before that. DEBUG_STATE_END: where it ends. */
    struct elf_entry debug_state;
    uint64_t debug_state_end;
    bool debug_state_jump; /* a jump in its place would cover nothing else */
};

/* Fills ENTRIES from FILE. Parts that are missing or unexpected are 0 or false. Returns 0, or -errno with *ENTRIES
 * zeroed: -ENOEXEC if the file is broken or has changed since it was opened, -ENOMEM, or an error of reading. */
int elf_entries_find(const struct elf_file *file, struct elf_entries *entries);

#endif
