/* SPDX-License-Identifier: MIT */
#include "elf/dwarf_split.h"

#include "elf/dwarf_name.h"

#include <dwarf.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

/* libdw would wait for ever for a FIFO. */
static bool is_harmless(const char *directory, const char *between, const char *name)
{
    char path[2 * PATH_MAX];
    struct stat information;
    int length = snprintf(path, sizeof path, "%s%s/%s", directory, between, name);

    return length > 0 && (size_t)length < sizeof path &&
           (stat(path, &information) < 0 || S_ISREG(information.st_mode));
}

/* Looks where libdw will look: beside FILE, and from where the compiler ran. */
static bool may_look(const struct elf_file *file, Dwarf_Die *unit)
{
    const char *name = elf_dwarf_text(unit, DW_AT_dwo_name);
    const char *compiled = elf_dwarf_text(unit, DW_AT_comp_dir);
    char directory[PATH_MAX];

    if (!name)
        name = elf_dwarf_text(unit, DW_AT_GNU_dwo_name);
    if (!name || !elf_file_directory(file, directory))
        return false;
    if (*name == '/')
        return is_harmless("", "", name);
    return is_harmless(directory, "", name) &&
           (!compiled || is_harmless(*compiled == '/' ? "" : directory, compiled, name));
}

void elf_dwarf_split(const struct elf_file *file, Dwarf_Die *unit, Dwarf_Die *body)
{
    uint8_t type = DW_UT_compile;
    Dwarf_Die split;

    *body = *unit;
    if (dwarf_cu_info(unit->cu, NULL, &type, NULL, NULL, NULL, NULL, NULL) == 0 && type == DW_UT_skeleton &&
        may_look(file, unit) && dwarf_cu_info(unit->cu, NULL, NULL, NULL, &split, NULL, NULL, NULL) == 0 &&
        split.addr)
        *body = split;
}
