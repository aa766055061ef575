/* SPDX-License-Identifier: MIT
 *
 * The functions of one DWARF unit that were inlined somewhere and also have code of their own. For an inlined call of a
 * function that is private to its file, a compiler writes no linker's name. The symbol of the function's own code has
 * that name. */
#include "programs/elf/dwarf_parts.h"

#include "common/base/array.h"
#include "common/base/search.h"

#include <dwarf.h>
#include <stdlib.h>

/* Returns the offset of the entry that ENTRY refers to, or 0 if it refers to none. */
static uint64_t origin_of(Dwarf_Die *entry)
{
    Dwarf_Attribute attribute;
    Dwarf_Die origin;
    if (!dwarf_attr(entry, DW_AT_abstract_origin, &attribute) || !dwarf_formref_die(&attribute, &origin))
        return 0;
    return (uintptr_t)origin.addr;
}

static uint64_t start_of(Dwarf_Die *function)
{
    Dwarf_Addr start, base, end;
    if (dwarf_entrypc(function, &start) == 0)
        return start;
    return dwarf_ranges(function, 0, &base, &start, &end) > 0 ? start : 0;
}

static int compare(const void *a, const void *b)
{
    const struct elf_dwarf_copy *one = a, *other = b;
    if (one->origin != other->origin)
        return one->origin < other->origin ? -1 : 1;
    return (one->start > other->start) - (one->start < other->start);
}

static void read_all(struct elf_dwarf_copies *copies, struct elf_dwarf_tree *tree, uint64_t *budget)
{
    for (size_t i = 0; i < tree->count; i++) {
        struct elf_dwarf_node *node = &tree->nodes[i];
        if (node->parent != ELF_DWARF_NONE)
            continue;
        if (!*budget || !ARRAY_RESERVE_ONE(copies))
            break;
        --*budget;
        struct elf_dwarf_copy copy = {origin_of(&node->entry), start_of(&node->entry)};
        if (copy.origin && copy.start)
            copies->items[copies->count++] = copy;
    }
    if (copies->count)
        qsort(copies->items, copies->count, sizeof *copies->items, compare);
}

uint64_t elf_dwarf_copies_find(struct elf_dwarf_copies *copies, struct elf_dwarf_tree *tree, Dwarf_Die *call,
                               uint64_t *budget)
{
    uint64_t origin = origin_of(call);
    size_t first;
    if (!copies->read)
        read_all(copies, tree, budget);
    copies->read = true;
    first = SEARCH_BELOW(copies->items, copies->count, origin, origin);
    return origin && first < copies->count && copies->items[first].origin == origin ? copies->items[first].start : 0;
}

void elf_dwarf_copies_fini(struct elf_dwarf_copies *copies)
{
    free(copies->items);
    *copies = (struct elf_dwarf_copies){0};
}
