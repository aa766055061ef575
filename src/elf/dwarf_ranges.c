/* SPDX-License-Identifier: MIT */
#include "elf/dwarf_ranges.h"

#include "base/array.h"

bool elf_dwarf_ranges_spend(struct elf_dwarf_ranges *ranges)
{
    if (!*ranges->budget)
        return false;
    --*ranges->budget;
    return true;
}

bool elf_dwarf_ranges_add(struct elf_dwarf_ranges *ranges, Dwarf_Die *entry, uint32_t item, uint32_t priority)
{
    Dwarf_Addr base = 0, start = 0, end = 0;
    ptrdiff_t at = 0;
    while ((at = dwarf_ranges(entry, at, &base, &start, &end)) > 0 && elf_dwarf_ranges_spend(ranges)) {
        if (start >= end || !elf_file_is_text(ranges->file, start))
            continue;
        if (!ARRAY_RESERVE_ONE(ranges))
            return false;
        ranges->items[ranges->count++] = (struct cover_range){start, end, item, priority};
    }
    return true;
}
