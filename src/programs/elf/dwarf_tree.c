/* SPDX-License-Identifier: MIT
 *
 * The functions of one DWARF unit, the calls inlined into them, and the addresses of all these. */
#include "programs/elf/dwarf_parts.h"

#include "common/base/array.h"
#include "programs/elf/file.h"

#include <dwarf.h>
#include <stdlib.h>

/* How deep entries may be nested. Blocks and inlined calls of real programs reach 100. */
#define DEPTH_MAX 512

/* Lowers the budget by one. Returns false if nothing is left. */
static bool spend(struct elf_dwarf_ranges *ranges)
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
    while ((at = dwarf_ranges(entry, at, &base, &start, &end)) > 0 && spend(ranges)) {
        if (start >= end || !elf_file_is_text(ranges->file, start))
            continue;
        if (!ARRAY_RESERVE_ONE(ranges))
            return false;
        ranges->items[ranges->count++] = (struct range_cover_part){start, end, item, priority};
    }
    return true;
}

/* The state of reading a tree, and the path to the current entry. */
struct walk {
    struct elf_dwarf_tree *tree;
    struct elf_dwarf_ranges ranges;
    struct {
        Dwarf_Die entry;
        uint32_t node; /* number of the node that contains the entry */
    } path[DEPTH_MAX];
    size_t depth;
};

/* What an entry may contain. */
enum content {
    CONTENT_NONE,  /* nothing with addresses */
    CONTENT_PLAIN, /* it has parts, possibly with addresses, but is not of interest itself */
    CONTENT_FUNCTION,
    CONTENT_CALL
};

static enum content content_of(Dwarf_Die *entry)
{
    switch (dwarf_tag(entry)) {
    case DW_TAG_subprogram:
        return CONTENT_FUNCTION;
    case DW_TAG_inlined_subroutine:
        return CONTENT_CALL;
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
    case DW_TAG_with_stmt:
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
        return CONTENT_PLAIN;
    default:
        return CONTENT_NONE;
    }
}

/* Returns attribute NAME of ENTRY, or MISSING. */
static uint32_t number_of(Dwarf_Die *entry, unsigned name, uint32_t missing)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value;
    if (!dwarf_attr(entry, name, &attribute) || dwarf_formudata(&attribute, &value) != 0 || value > UINT32_MAX)
        return missing;
    return (uint32_t)value;
}

/* Adds a node for ENTRY, which was inlined into PARENT, if it has code. Sets *NUMBER to its number, or to
 * ELF_DWARF_NONE without code. Returns false only if memory runs out. */
static bool add_node(struct walk *walk, Dwarf_Die *entry, uint32_t parent, uint32_t *number)
{
    struct elf_dwarf_tree *tree = walk->tree;
    size_t before = walk->ranges.count;
    *number = ELF_DWARF_NONE;
    if (!elf_dwarf_ranges_add(&walk->ranges, entry, (uint32_t)tree->count, (uint32_t)walk->depth))
        return false;
    if (walk->ranges.count == before)
        return true;
    if (!array_reserve_((void **)&tree->nodes, &tree->room, tree->count + 1, sizeof *tree->nodes))
        return false;
    *number = (uint32_t)tree->count;
    tree->nodes[tree->count++] = (struct elf_dwarf_node){.entry = *entry, .parent = parent};
    if (parent != ELF_DWARF_NONE) {
        tree->nodes[*number].call_file = number_of(entry, DW_AT_call_file, ELF_DWARF_NONE);
        tree->nodes[*number].call_line = number_of(entry, DW_AT_call_line, 0);
    }
    return true;
}

/* Visits the last entry of the path. Sets *DESCEND if it may contain more entries, and *NODE to the node that contains
 * these. Returns false if memory runs out. */
static bool visit(struct walk *walk, bool *descend, uint32_t *node)
{
    Dwarf_Die *entry = &walk->path[walk->depth].entry;
    enum content content = content_of(entry);
    uint32_t around = walk->path[walk->depth].node;
    *node = around;
    *descend = content != CONTENT_NONE;
    if (content == CONTENT_FUNCTION || (content == CONTENT_CALL && around != ELF_DWARF_NONE)) {
        if (!add_node(walk, entry, content == CONTENT_CALL ? around : ELF_DWARF_NONE, node))
            return false;
        *descend = *node != ELF_DWARF_NONE; /* a declaration, or the abstract entry of a function that is inlined
                                             * elsewhere */
    }
    *descend &= walk->depth + 1 < DEPTH_MAX;
    return true;
}

/* Goes to the next entry that is not inside the last entry of the path. Returns false at the end of the unit. */
static bool step(struct walk *walk)
{
    for (;; walk->depth--) {
        Dwarf_Die *entry = &walk->path[walk->depth].entry;
        if (dwarf_siblingof(entry, entry) == 0)
            return true;
        if (!walk->depth)
            return false;
    }
}

static bool read_all(struct walk *walk, Dwarf_Die *unit)
{
    bool descend;
    uint32_t node;
    if (dwarf_child(unit, &walk->path[0].entry) != 0)
        return true;
    walk->path[0].node = ELF_DWARF_NONE;
    while (spend(&walk->ranges)) {
        if (!visit(walk, &descend, &node))
            return false;
        if (descend && dwarf_child(&walk->path[walk->depth].entry, &walk->path[walk->depth + 1].entry) == 0)
            walk->path[++walk->depth].node = node;
        else if (!step(walk))
            break;
    }
    return true;
}

bool elf_dwarf_tree_read(struct elf_dwarf_tree *tree, Dwarf_Die *unit, const struct elf_file *file, uint64_t *budget)
{
    struct walk *walk = calloc(1, sizeof *walk);
    bool done = false;
    if (!walk)
        return false;
    walk->tree = tree;
    walk->ranges = (struct elf_dwarf_ranges){.file = file, .budget = budget};
    done = read_all(walk, unit) && range_cover_build(&tree->cover, walk->ranges.items, walk->ranges.count);
    free(walk->ranges.items);
    free(walk);
    if (!done)
        elf_dwarf_tree_fini(tree);
    return done;
}

void elf_dwarf_tree_fini(struct elf_dwarf_tree *tree)
{
    free(tree->nodes);
    range_cover_fini(&tree->cover);
    *tree = (struct elf_dwarf_tree){0};
}

uint32_t elf_dwarf_tree_find(const struct elf_dwarf_tree *tree, uint64_t vaddr)
{
    const struct range_cover_part *piece = range_cover_find(&tree->cover, vaddr);
    return piece ? piece->item : ELF_DWARF_NONE;
}
