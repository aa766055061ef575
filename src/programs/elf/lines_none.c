/* SPDX-License-Identifier: MIT
 *
 * Replaces lines.c in a build without libdw. */
#include "common/base/error.h"
#include "programs/elf/lines.h"

#include <errno.h>

int elf_lines_new(const struct elf_file *file, const struct elf_debug_search *search, struct elf_lines **lines,
                  struct error *error)
{
    (void)file;
    (void)search;
    *lines = NULL;
    return error_set(error, ENOTSUP, "ptprofil was built without libdw, which reads lines and inlined calls");
}

uint64_t elf_lines_begin(struct elf_lines *lines, uint64_t most_bytes)
{
    (void)lines;
    (void)most_bytes;
    return 0;
}

void elf_lines_free(struct elf_lines *lines)
{
    (void)lines;
}

size_t elf_lines_find(struct elf_lines *lines, uint64_t vaddr, struct elf_line chain[ELF_LINES_MAX])
{
    (void)lines;
    (void)vaddr;
    (void)chain;
    return 0;
}

bool elf_lines_gave_up(const struct elf_lines *lines)
{
    (void)lines;
    return false;
}

uint64_t elf_lines_size(const struct elf_lines *lines)
{
    (void)lines;
    return 0;
}
