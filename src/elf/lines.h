/* SPDX-License-Identifier: MIT
 *
 * Lines of the source for the addresses of an ELF file, and the calls that the compiler inlined there: from
 * the DWARF in the file or in its separate debug file. A process of its own reads it, with limits on its time
 * and memory: whatever a broken or hostile file does to the library that reads it, it can only end that
 * process, and there are no more lines. */
#ifndef ELF_LINES_H
#define ELF_LINES_H

#include "elf/symbols.h"

#define ELF_LINES_MAX 64 /* frames of one address; the outermost is among them even if there are more */

struct elf_lines;

struct elf_line {
    const char *function; /* of an inlined call: as the linker would know it (see demangle_name), "" if it has no
                         name; NULL    for the last frame, the function that the address's code was made for */
    uint64_t start;   /* of an inlined call whose name may be less than the linker's: the ELF virtual address where the
                         function has code of its own, whose symbol has that; else 0 */
    const char *file; /* path, as the compiler was given it; NULL: not known */
    uint32_t line;    /* 0: not known */
};

/* Looks for the debug information of FILE, which must stay open as long as *LINES. SEARCH: where a separate
 * debug file is looked for; NULL: it is not. Nothing of it is read yet. Returns 0, or -errno with ERROR set
 * and *LINES NULL: -ENOENT there is none, -ENOTSUP ptprofil was built without libdw, -ENOMEM, -EIO and others
 * from reading. */
int elf_lines_new(const struct elf_file *file, const struct elf_debug_search *search, struct elf_lines **lines,
                  struct error *error);

/* Ends the process and frees LINES; NULL is allowed. */
void elf_lines_free(struct elf_lines *lines);

/* Sets CHAIN, innermost first, to what is at ELF virtual address VADDR: each inlined call is a frame of its
 * own, the last is of the function itself. For a caller's frame pass its return address - 1. Returns how many
 * there are; 0: nothing is known, or the process has been ended. The texts are valid until the next call. */
size_t elf_lines_find(struct elf_lines *lines, uint64_t vaddr, struct elf_line chain[ELF_LINES_MAX]);

/* True if the process has ended before its time: the file was too much for it, or broken. What it answered
 * until then stands. */
bool elf_lines_gave_up(const struct elf_lines *lines);

#endif
