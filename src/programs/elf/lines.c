/* SPDX-License-Identifier: MIT */
#include "programs/elf/lines.h"

#include "common/base/error.h"
#include "common/base/time.h"
#include "programs/elf/debug_file.h"
#include "programs/elf/dwarf.h"
#include "programs/elf/image.h"
#include "programs/elf/sections.h"
#include "programs/elf/symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#define MOST_NS (60 * UINT64_C(1000000000)) /* CPU time for all addresses together */

struct elf_lines {
    const struct elf_file *program;
    struct elf_debug_file debug;  /* debug file; none if the program contains its debug information */
    struct elf_debug_file shared; /* debug information that dwz has moved out of it */
    struct elf_dwarf *dwarf;      /* opened for the first address */
    uint64_t spent_ns;
    bool gave_up;
};

/* Returns the file with the debug information. */
static const struct elf_file *source_of(const struct elf_lines *lines)
{
    return lines->debug.file ? lines->debug.file : lines->program;
}

/* Opens the debug information, once. */
static bool open_dwarf(struct elf_lines *lines)
{
    if (!lines->dwarf && !lines->gave_up)
        lines->gave_up = elf_dwarf_new(source_of(lines), lines->program, lines->shared.file, &lines->dwarf, NULL) < 0;
    return !lines->gave_up;
}

/* Counts the CPU time since BEGAN_NS. */
static void spend(struct elf_lines *lines, uint64_t began_ns)
{
    lines->spent_ns += time_read_ns(CLOCK_PROCESS_CPUTIME_ID) - began_ns;
    lines->gave_up = lines->gave_up || lines->spent_ns > MOST_NS;
}

uint64_t elf_lines_begin(struct elf_lines *lines, uint64_t most_bytes)
{
    uint64_t began_ns = time_read_ns(CLOCK_PROCESS_CPUTIME_ID);
    if (!lines || lines->dwarf || elf_lines_size(lines) > most_bytes || !open_dwarf(lines))
        return 0;
    spend(lines, began_ns);
    return elf_lines_size(lines);
}

size_t elf_lines_find(struct elf_lines *lines, uint64_t vaddr, struct elf_line chain[ELF_LINES_MAX])
{
    uint64_t began_ns = time_read_ns(CLOCK_PROCESS_CPUTIME_ID);
    if (!open_dwarf(lines))
        return 0;
    size_t count = elf_dwarf_find(lines->dwarf, vaddr, chain);
    spend(lines, began_ns);
    return count;
}

bool elf_lines_gave_up(const struct elf_lines *lines)
{
    return lines->gave_up;
}

uint64_t elf_lines_size(const struct elf_lines *lines)
{
    return source_of(lines)->size + (lines->shared.file ? lines->shared.file->size : 0);
}

static bool has_dwarf(const struct elf_sections *sections)
{
    Elf64_Shdr header;
    size_t index = elf_sections_find(sections, 0, ".debug_info");
    if (!index)
        index = elf_sections_find(sections, 0, ".zdebug_info");
    return elf_sections_header(sections, index, &header) && header.sh_type != SHT_NOBITS && header.sh_size;
}

/* Finds the file with the DWARF, and the file that it shares. Returns 0, or -ENOENT if none exists. */
static int find_files(struct elf_lines *lines, const struct elf_sections *own, const struct elf_debug_search *search)
{
    struct elf_sections foreign = {0};
    int status = 0;
    if (has_dwarf(own)) {
        lines->shared = search ? elf_debug_file_shared(lines->program, own, search) : lines->shared;
        return 0;
    }
    if (search)
        lines->debug = elf_debug_file_find(lines->program, own, search);
    if (!lines->debug.file || elf_sections_open(&foreign, lines->debug.file, NULL) < 0)
        return -ENOENT;
    if (has_dwarf(&foreign))
        lines->shared = elf_debug_file_shared(lines->debug.file, &foreign, search);
    else
        status = -ENOENT;
    elf_sections_close(&foreign);
    return status;
}

int elf_lines_new(const struct elf_file *file, const struct elf_debug_search *search, struct elf_lines **lines,
                  struct error *error)
{
    struct elf_lines *opened = calloc(1, sizeof *opened);
    struct elf_sections own;
    int status;
    *lines = NULL;
    if (!opened)
        return error_system(error, ENOMEM, "cannot read the debug information");
    *opened = (struct elf_lines){.program = file, .debug = {.fd = -1}, .shared = {.fd = -1}};
    status = elf_sections_open(&own, file, error);
    if (status == 0) {
        status = find_files(opened, &own, search);
        if (status < 0)
            error_set(error, -status, "no debug information");
        elf_sections_close(&own);
    }
    if (status < 0)
        elf_lines_free(opened);
    else
        *lines = opened;
    return status;
}

void elf_lines_free(struct elf_lines *lines)
{
    if (!lines)
        return;
    elf_dwarf_free(lines->dwarf);
    elf_debug_file_close(&lines->debug);
    elf_debug_file_close(&lines->shared);
    free(lines);
}
