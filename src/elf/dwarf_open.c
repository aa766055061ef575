/* SPDX-License-Identifier: MIT */
#include "elf/dwarf_open.h"

#include "files/guard.h"

#include <dwarf.h>
#include <errno.h>
#include <string.h>

#define DWARF_MAX (UINT64_C(3) << 30) /* bytes of all the sections, compressed or not */

static bool is_needed(const char *name)
{
    static const char *const needed[] = {".debug_info",        ".debug_abbrev",   ".debug_addr",
                                         ".debug_line",        ".debug_line_str", ".debug_str",
                                         ".debug_str_offsets", ".debug_ranges",   ".debug_rnglists"};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (strcmp(name, needed[i]) == 0)
            return true;
    return false;
}

/* How much memory it takes: a few compressed bytes can claim to be any number. */
static uint64_t size_of(Elf_Scn *section, const GElf_Shdr *header)
{
    GElf_Chdr compressed;
    uint64_t size = header->sh_size;
    if ((header->sh_flags & SHF_COMPRESSED) && gelf_getchdr(section, &compressed))
        size = compressed.ch_size < UINT64_MAX - size ? size + compressed.ch_size : UINT64_MAX;
    return size;
}

/* Hides what is not needed from libdw, which goes by names. Returns the size of the rest. */
static uint64_t compat(const struct elf_sections *sections)
{
    uint64_t whole = 0;
    GElf_Shdr header;
    for (size_t i = 1; i < sections->count; i++) {
        const char *name = elf_sections_name(sections, i);
        Elf_Scn *section = elf_getscn(sections->elf, i);
        if (!strstr(name, "debug") || !gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
            continue;
        if (is_needed(name)) {
            uint64_t size = size_of(section, &header);
            whole = size < UINT64_MAX - whole ? whole + size : UINT64_MAX;
            continue;
        }
        header.sh_type = SHT_NOBITS;
        gelf_update_shdr(section, &header);
    }
    return whole;
}

int elf_dwarf_open(const struct elf_sections *sections, Dwarf **dwarf, struct error *error)
{
    uint64_t size = compat(sections);
    *dwarf = NULL;
    if (size > DWARF_MAX)
        return error_set(error, E2BIG, "debug information of %llu MiB", (unsigned long long)(size >> 20));
    *dwarf = dwarf_begin_elf(sections->elf, DWARF_C_READ, NULL);
    return *dwarf ? 0 : error_set(error, ENOENT, "no debug information: %s", dwarf_errmsg(-1));
}

void elf_dwarf_split(Dwarf_Die *unit, Dwarf_Die *body)
{
    uint8_t type = DW_UT_compile;
    Dwarf_Die split;
    *body = *unit;
    if (dwarf_cu_info(unit->cu, NULL, &type, NULL, NULL, NULL, NULL, NULL) == 0 && type == DW_UT_skeleton &&
        guard_is_up() && dwarf_cu_info(unit->cu, NULL, NULL, NULL, &split, NULL, NULL, NULL) == 0 && split.addr)
        *body = split;
}
