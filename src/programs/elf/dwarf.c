/* SPDX-License-Identifier: MIT */
#include "programs/elf/dwarf.h"

#include "common/base/array.h"
#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/texts.h"
#include "programs/elf/dwarf_parts.h"
#include "programs/elf/sections.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define UNITS_MAX (1u << 20)
#define BUDGET (UINT64_C(1) << 26) /* entries and ranges that are visited */

struct unit {
    Dwarf_Die entry, body; /* its first entry; for a skeleton, the first entry of its split unit */
    struct elf_dwarf_tree tree;
    struct elf_dwarf_copies copies;
    bool has_tree;
};

struct elf_dwarf {
    struct elf_sections sections, shared_sections;
    Elf *elf, *shared_elf;
    Dwarf *own, *shared;
    const struct elf_file *program;
    struct units {
        struct unit *items;
        size_t count, room;
    } units;
    struct range_cover cover; /* finds the unit of an address */
    struct texts made;        /* composed paths and names */
    uint64_t budget;
};

/* Adds the unit with first entry ENTRY, and its addresses to RANGES. */
static bool add_unit(struct units *units, Dwarf_Die *entry, struct elf_dwarf_ranges *ranges)
{
    if (!ARRAY_RESERVE_ONE(units) || !elf_dwarf_ranges_add(ranges, entry, (uint32_t)units->count, 0))
        return false;
    units->items[units->count++] = (struct unit){.entry = *entry};
    return true;
}

/* Returns true for a unit that has addresses. A skeleton has its lines here, but its entries elsewhere. Type units and
 * shared units have no addresses. */
static bool has_code(uint8_t unit_type)
{
    return unit_type == DW_UT_compile || unit_type == DW_UT_skeleton;
}

static int find_units(struct elf_dwarf *dwarf)
{
    struct elf_dwarf_ranges ranges = {.file = dwarf->program, .budget = &dwarf->budget};
    Dwarf_CU *unit = NULL;
    Dwarf_Die entry;
    uint8_t type;
    bool done = true;
    /* a broken header hides only the units after it */
    for (unsigned i = 0; done && i < UNITS_MAX; i++) {
        if (dwarf_get_units(dwarf->own, unit, &unit, NULL, &type, &entry, NULL) != 0)
            break;
        if (entry.addr && has_code(type))
            done = add_unit(&dwarf->units, &entry, &ranges);
    }
    done = done && range_cover_build(&dwarf->cover, ranges.items, ranges.count);
    free(ranges.items);
    return done ? 0 : -ENOMEM;
}

/* Opens the file with shared entries. Without it, some functions have no names. */
static void open_shared(struct elf_dwarf *dwarf, const struct elf_file *shared)
{
    if (shared && elf_sections_open(&dwarf->shared_sections, shared, NULL) == 0 &&
        elf_dwarf_open(shared, &dwarf->shared_sections, &dwarf->shared_elf, &dwarf->shared, NULL) == 0)
        dwarf_setalt(dwarf->own, dwarf->shared);
}

int elf_dwarf_new(const struct elf_file *file, const struct elf_file *program, const struct elf_file *shared,
                  struct elf_dwarf **dwarf, struct error *error)
{
    struct elf_dwarf *opened = calloc(1, sizeof *opened);
    int status;
    *dwarf = NULL;
    if (!opened)
        return error_system(error, ENOMEM, "cannot read the debug information");
    opened->program = program;
    opened->budget = BUDGET;
    status = elf_sections_open(&opened->sections, file, error);
    if (status == 0)
        status = elf_dwarf_open(file, &opened->sections, &opened->elf, &opened->own, error);
    if (status == 0) {
        open_shared(opened, shared);
        status = find_units(opened);
        if (status < 0)
            error_system(error, -status, "cannot read the debug information");
    }
    if (status < 0)
        elf_dwarf_free(opened);
    else
        *dwarf = opened;
    return status;
}

void elf_dwarf_free(struct elf_dwarf *dwarf)
{
    if (!dwarf)
        return;
    for (size_t i = 0; i < dwarf->units.count; i++) {
        elf_dwarf_tree_fini(&dwarf->units.items[i].tree);
        elf_dwarf_copies_fini(&dwarf->units.items[i].copies);
    }
    free(dwarf->units.items);
    range_cover_fini(&dwarf->cover);
    texts_fini(&dwarf->made);
    dwarf_end(dwarf->own);
    dwarf_end(dwarf->shared);
    elf_end(dwarf->shared_elf);
    elf_end(dwarf->elf);
    elf_sections_close(&dwarf->shared_sections);
    elf_sections_close(&dwarf->sections);
    free(dwarf);
}

/* Returns PATH, as libdw composed it from a name and a directory. If it is relative, prepends the compiler's working
 * directory. Returns NULL if it is not a path. */
static const char *whole_path(struct elf_dwarf *dwarf, struct unit *unit, const char *path)
{
    const char *directory = path && *path != '/' ? elf_dwarf_text(&unit->entry, DW_AT_comp_dir) : NULL;
    struct buffer whole = {0};
    uint32_t number;
    if (!path || !*path || strcmp(path, "???") == 0)
        return NULL;
    if (!directory)
        return path;
    buffer_printf(&whole, "%s/%s", directory, path);
    number = whole.failed ? HASH_NONE : texts_add(&dwarf->made, whole.bytes);
    buffer_fini(&whole);
    return number == HASH_NONE ? path : dwarf->made.items[number];
}

/* Returns the path of file NUMBER of UNIT, or NULL. */
static const char *file_of(struct elf_dwarf *dwarf, struct unit *unit, uint32_t number)
{
    Dwarf_Files *files;
    size_t count;
    if (dwarf_getsrcfiles(&unit->body, &files, &count) != 0 || number >= count)
        return NULL;
    return whole_path(dwarf, unit, dwarf_filesrc(files, number, NULL, NULL));
}

/* Returns the entry of the unit's line table for VADDR. */
static struct elf_line row_of(struct elf_dwarf *dwarf, struct unit *unit, uint64_t vaddr)
{
    Dwarf_Line *row = dwarf_getsrc_die(&unit->entry, vaddr);
    struct elf_line line = {0};
    int number;
    if (row && dwarf_lineno(row, &number) == 0) { /* line 0 means code without a source line */
        line.line = number > 0 ? (uint32_t)number : 0;
        line.file = whole_path(dwarf, unit, dwarf_linesrc(row, NULL, NULL));
    }
    return line;
}

/* Reads the unit's tree at its first use. */
static struct elf_dwarf_tree *tree_of(struct elf_dwarf *dwarf, struct unit *unit)
{
    if (!unit->has_tree) {
        elf_dwarf_split(&unit->entry, &unit->body);
        elf_dwarf_tree_read(&unit->tree, &unit->body, dwarf->program, &dwarf->budget);
    }
    unit->has_tree = true;
    return &unit->tree;
}

/* Finds the name of NODE, an inlined call of UNIT. If it has no linker's name, finds the function's own code, whose
 * symbol has that name. */
static void name_node(struct elf_dwarf *dwarf, struct unit *unit, struct elf_dwarf_node *node)
{
    if (node->name)
        return;
    node->name = elf_dwarf_name(&node->entry, &dwarf->made, &dwarf->budget);
    if (strncmp(node->name, "_Z", 2) != 0 && strncmp(node->name, "_R", 2) != 0)
        node->start = elf_dwarf_copies_find(&unit->copies, &unit->tree, &node->entry, &dwarf->budget);
}

size_t elf_dwarf_find(struct elf_dwarf *dwarf, uint64_t vaddr, struct elf_line chain[ELF_LINES_MAX])
{
    const struct range_cover_part *piece = range_cover_find(&dwarf->cover, vaddr);
    struct unit *unit = piece ? &dwarf->units.items[piece->item] : NULL;
    struct elf_line here;
    size_t count = 0;
    if (!unit)
        return 0;
    struct elf_dwarf_tree *tree = tree_of(dwarf, unit);
    uint32_t number = elf_dwarf_tree_find(tree, vaddr);
    for (here = row_of(dwarf, unit, vaddr); number != ELF_DWARF_NONE; number = tree->nodes[number].parent) {
        struct elf_dwarf_node *node = &tree->nodes[number];
        if (node->parent == ELF_DWARF_NONE)
            break;
        if (count + 1 < ELF_LINES_MAX) {
            name_node(dwarf, unit, node);
            here.function = node->name;
            here.start = node->start;
            chain[count++] = here;
        }
        here = (struct elf_line){.file = file_of(dwarf, unit, node->call_file), .line = node->call_line};
    }
    if (!count && !here.file && !here.line)
        return 0;
    chain[count++] = here;
    return count;
}
