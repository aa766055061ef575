/* SPDX-License-Identifier: MIT
 *
 * Opens the DWARF of an ELF file, and of the files to which the compiler moved parts of it (gcc -gsplit-dwarf). */
#include "programs/elf/dwarf_parts.h"

#include "common/base/error.h"
#include "programs/elf/sections.h"
#include "programs/files/guard.h"

#include <dwarf.h>
#include <errno.h>
#include <string.h>

#define DWARF_MAX (UINT64_C(3) << 30) /* bytes of all the sections, compressed or not */

static const char old_compressed[] = ".zdebug_"; /* prefix of the names; newer files have a flag instead */

static bool is_old_compressed(const char *name)
{
    return strncmp(name, old_compressed, sizeof old_compressed - 1) == 0;
}

static bool is_needed(const char *name)
{
    static const char *const needed[] = {"info", "abbrev",      "addr",   "line",    "line_str",
                                         "str",  "str_offsets", "ranges", "rnglists"};
    const char *kind = is_old_compressed(name)            ? name + sizeof old_compressed - 1
                       : strncmp(name, ".debug_", 7) == 0 ? name + 7
                                                          : "";
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (strcmp(kind, needed[i]) == 0)
            return true;
    return false;
}

/* Returns the unpacked size of a section that is compressed in the old way. It follows "ZLIB", in 8 big-endian
 * bytes. */
static uint64_t old_unpacked_size(Elf_Scn *section)
{
    enum { MARK = 4, HEADER = 12 };
    Elf_Data *raw = elf_rawdata(section, NULL);
    uint64_t size = 0;
    if (!raw || !raw->d_buf || raw->d_size < HEADER)
        return 0;
    for (int i = MARK; i < HEADER; i++)
        size = size << 8 | ((const uint8_t *)raw->d_buf)[i];
    return size;
}

/* Returns how much memory a section takes. A few compressed bytes can claim any unpacked size. */
static uint64_t size_of(Elf_Scn *section, const GElf_Shdr *header, const char *name)
{
    GElf_Chdr compressed;
    uint64_t size = header->sh_size, unpacked = 0;
    if (is_old_compressed(name))
        unpacked = old_unpacked_size(section);
    else if ((header->sh_flags & SHF_COMPRESSED) && gelf_getchdr(section, &compressed))
        unpacked = compressed.ch_size;
    return unpacked < UINT64_MAX - size ? size + unpacked : UINT64_MAX;
}

/* Renames the sections that are not needed, so that libdw does not find them. Returns the total size of the others. */
static uint64_t hide_unneeded(const struct elf_sections *sections, Elf *elf)
{
    uint64_t whole = 0;
    GElf_Shdr header;
    for (size_t i = 1; i < sections->count; i++) {
        const char *name = elf_sections_name(sections, i);
        Elf_Scn *section = elf_getscn(elf, i);
        if (!strstr(name, "debug") || !section || !gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
            continue;
        if (is_needed(name)) {
            uint64_t size = size_of(section, &header, name);
            whole = size < UINT64_MAX - whole ? whole + size : UINT64_MAX;
            continue;
        }
        header.sh_type = SHT_NOBITS;
        gelf_update_shdr(section, &header);
    }
    return whole;
}

int elf_dwarf_open(const struct elf_file *file, const struct elf_sections *sections, Elf **elf, Dwarf **dwarf,
                   struct error *error)
{
    *dwarf = NULL;
    elf_version(EV_CURRENT);
    *elf = file->image ? elf_memory((char *)file->image, (size_t)file->size) : elf_begin(file->fd, ELF_C_READ, NULL);
    if (!*elf)
        return error_set(error, ENOEXEC, "a damaged ELF file: %s", elf_errmsg(-1));
    uint64_t size = hide_unneeded(sections, *elf);
    if (size <= DWARF_MAX)
        *dwarf = dwarf_begin_elf(*elf, DWARF_C_READ, NULL);
    if (*dwarf)
        return 0;
    int result = size > DWARF_MAX
                     ? error_set(error, E2BIG, "debug information of %llu MiB", (unsigned long long)(size >> 20))
                     : error_set(error, ENOENT, "no debug information: %s", dwarf_errmsg(-1));
    elf_end(*elf);
    *elf = NULL;
    return result;
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
