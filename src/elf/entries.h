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
    uint64_t vaddr;  /* ELF virtual address in an executable segment; 0: there is none */
    uint8_t byte;    /* of the instruction as the file has it, the one in whose place a breakpoint comes */
    uint8_t planted; /* that breakpoint */
};

struct elf_entries {
    bool refers;    /* it needs profil, sprofil or the start-up code of gprof. Static: it holds one of them, as
                       nearly every static program of glibc does, whose dlopen brings profil along */
    bool filters;   /* it needs, static: it holds, what a program puts a filter of its system calls upon itself with */
    bool clones;    /* it needs what makes a child by the flags of clone: that may be one that no tracer hears of */
    bool numbers;   /* it needs what makes any system call, by its number: also one that puts a filter upon it */
    bool is_static; /* a program that is started without a dynamic linker */

    /* First instructions of the C library's functions. There is a tail if, and only if, there is one of them. */
    struct elf_entry profil, sprofil;
    uint64_t room; /* behind the end of the code that these, or debug_state, are in, in its last page; 0: there is none,
                      or it cannot be used */
    uint64_t tail; /* just after the system call of the C library's setitimer, where it makes errno of the result and
                      returns; of a 32-bit one's munmap, whose stack is as where it is entered; 0: there is none */

    /* A dynamic linker's function that is called when objects have been loaded, and does nothing but return: its `ret`,
     * or what is before that. DEBUG_STATE_END: where it ends. */
    struct elf_entry debug_state;
    uint64_t debug_state_end;
    bool debug_state_jump; /* a jump in its place would cover nothing else */
};

/* Looks for all that in FILE. What is not there, or is not as it should be, is 0 or false. Returns 0, or
 * -errno with *ENTRIES zeroed: -ENOEXEC for a file that is broken or has changed since it was opened,
 * -ENOMEM, or what reading gave. */
int elf_entries_find(const struct elf_file *file, struct elf_entries *entries);

#endif
