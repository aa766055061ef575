/* SPDX-License-Identifier: MIT */
#include "elf/dwarf_split.h"

#include "files/guard.h"

#include <dwarf.h>

void elf_dwarf_split(Dwarf_Die *unit, Dwarf_Die *body)
{
    uint8_t type = DW_UT_compile;
    Dwarf_Die split;
    *body = *unit;
    if (dwarf_cu_info(unit->cu, NULL, &type, NULL, NULL, NULL, NULL, NULL) == 0 && type == DW_UT_skeleton &&
        guard_is_up() && dwarf_cu_info(unit->cu, NULL, NULL, NULL, &split, NULL, NULL, NULL) == 0 && split.addr)
        *body = split;
}
