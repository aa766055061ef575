/* SPDX-License-Identifier: MIT
 *
 * Source lines for the addresses of an ELF file, and the calls that the compiler inlined there. They come from the
 * DWARF in the file or in its separate debug file. libdw reads it, which a broken or hostile file can crash. So call it
 * only in a process that reads strangers' files and can do nothing else. */
#ifndef ELF_LINES_H
#define ELF_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_debug_search;
struct elf_file;
struct error;

#define ELF_LINES_MAX 64 /* frames of one address, always including the outermost */

struct elf_lines;

struct elf_line {
    const char *function; /* for an inlined call: the linker's name (see demangle_name), "" if unknown; NULL for the
                           * last frame, the function that contains the address */
    uint64_t start;   /* for an inlined call that may lack the linker's name: the ELF virtual address of the function's
                       * own code, whose symbol has that name; or 0 */
    const char *file; /* path, as given to the compiler; NULL: unknown */
    uint32_t line;    /* 0: not known */
};

/* Finds the debug information of FILE, which must stay open as long as *LINES. SEARCH: where to search for a
 * separate debug file; NULL: nowhere. Does not read the debug information yet. Returns 0, or -errno with ERROR set
 * and *LINES NULL: -ENOENT if none exists, -ENOTSUP if ptprofil was built without libdw, -ENOMEM, -EIO and others
 * from reading. */
int elf_lines_new(const struct elf_file *file, const struct elf_debug_search *search, struct elf_lines **lines,
                  struct error *error);

/* Reads the debug information before the first address is asked for, unless its files have more than MOST_BYTES.
 * Returns the bytes of these files, or 0 if it does nothing. NULL is allowed. */
uint64_t elf_lines_begin(struct elf_lines *lines, uint64_t most_bytes);

/* Frees LINES; NULL is allowed. */
void elf_lines_free(struct elf_lines *lines);

/* Sets CHAIN, innermost first, to the source lines at ELF virtual address VADDR: one frame for each inlined call, and a
 * last one for the function itself. For a caller's frame, pass its return address - 1. Returns the number of frames, or
 * 0 if nothing is known or elf_lines_gave_up. The texts are valid until elf_lines_free. */
size_t elf_lines_find(struct elf_lines *lines, uint64_t vaddr, struct elf_line chain[ELF_LINES_MAX]);

/* Returns true if the debug information is broken or too large, or took too much CPU time. Earlier results are
 * valid. */
bool elf_lines_gave_up(const struct elf_lines *lines);

/* Returns the size in bytes of the files with debug information. */
uint64_t elf_lines_size(const struct elf_lines *lines);

#endif
