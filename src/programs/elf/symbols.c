/* SPDX-License-Identifier: MIT */
#include "programs/elf/symbols.h"

#include "common/base/array.h"
#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/search.h"
#include "common/names/languages.h"
#include "programs/elf/debug_file.h"
#include "programs/elf/functions.h"
#include "programs/elf/plt.h"
#include "programs/elf/range_cover.h"
#include "programs/elf/ranges.h"
#include "programs/elf/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_MAX ((size_t)256 << 20) /* bytes of names that are stored */

struct entry {
    uint64_t start, end;
    uint32_t name; /* offset of its name in the names */
    enum elf_symbol_kind kind;
};

struct entries {
    struct entry *items;
    size_t count, room;
};

struct elf_symbols {
    struct entries entries;   /* functions by address, then entries of the PLT */
    struct buffer names;      /* each 0-terminated */
    struct range_cover cover; /* finds the entry of an address */
    struct elf_ranges ranges;
    bool has_full_table;
    unsigned languages; /* see names/languages.h */
};

/* The sources of names. They stay open until all wanted names have been copied. */
struct sources {
    const struct elf_file *file;
    struct elf_sections own, foreign;
    struct elf_debug_file debug;
    struct elf_candidates candidates;
    struct elf_plt plt;
};

static void sources_fini(struct sources *sources)
{
    elf_plt_fini(&sources->plt);
    free(sources->candidates.items);
    elf_sections_close(&sources->foreign);
    elf_debug_file_close(&sources->debug);
    elf_sections_close(&sources->own);
}

/* Gathers the .symtab of DEBUG, and takes ownership of DEBUG. Returns as elf_table_gather. */
static long gather_foreign(struct sources *sources, struct elf_debug_file debug)
{
    elf_sections_close(&sources->foreign);
    elf_debug_file_close(&sources->debug);
    sources->debug = debug;
    if (!debug.file || elf_sections_open(&sources->foreign, debug.file, NULL) < 0)
        return 0;
    return elf_table_gather(&sources->candidates, &sources->foreign, SHT_SYMTAB, sources->file);
}

/* Gathers all candidates. The sources are tried in the order of how many names they usually have. */
static int gather(struct elf_symbols *symbols, struct sources *sources, const struct elf_debug_search *search)
{
    long exported, all;
    exported = elf_table_gather(&sources->candidates, &sources->own, SHT_DYNSYM, sources->file);
    if (exported < 0)
        return -ENOMEM;
    all = elf_table_gather(&sources->candidates, &sources->own, SHT_SYMTAB, sources->file);
    if (all == 0 && search)
        all = gather_foreign(sources, elf_debug_file_find(sources->file, &sources->own, search));
    if (all == 0 && search)
        all = gather_foreign(sources, elf_debug_file_unpack(&sources->own));
    if (all == 0)
        all = elf_go_table_gather(&sources->candidates, &sources->own, sources->file);
    if (all < 0)
        return -ENOMEM;
    symbols->has_full_table = all > 0;
    return 0;
}

/* Appends an entry with the first LENGTH bytes of NAME, and the first SIZE of SUFFIX, as its name. Leaves out names
 * beyond the limit. */
static int add_entry(struct elf_symbols *symbols, struct entry entry, const char *name, size_t length,
                     const char *suffix, size_t size)
{
    struct buffer *names = &symbols->names;
    if (names->length + length + size >= NAMES_MAX)
        return 0;
    entry.name = (uint32_t)names->length;
    if (!ARRAY_RESERVE_ONE(&symbols->entries) || !buffer_append(names, name, length) ||
        !buffer_append(names, suffix, size) || !buffer_append(names, "", 1))
        return -ENOMEM;
    symbols->entries.items[symbols->entries.count++] = entry;
    return 0;
}

/* Returns the candidate that begins at VADDR, or NULL. */
static const struct elf_candidate *candidate_at(const struct elf_candidates *candidates, uint64_t vaddr)
{
    size_t number = SEARCH_BELOW(candidates->items, candidates->count, start, vaddr);
    return number < candidates->count && candidates->items[number].start == vaddr ? &candidates->items[number] : NULL;
}

/* Adds CANDIDATE. A part of a function gets the name under which that is shown. */
static int add_function(struct elf_symbols *symbols, struct entry entry, const struct elf_candidates *candidates,
                        const struct elf_candidate *candidate)
{
    const struct elf_alias *alias = &candidate->alias;
    const struct elf_candidate *whole = candidate->whole ? candidate_at(candidates, candidate->whole) : NULL;
    if (!whole)
        return add_entry(symbols, entry, alias->name, alias->length, "", 0);
    return add_entry(symbols, entry, whole->alias.name, whole->alias.length, alias->name + candidate->suffix,
                     alias->length - candidate->suffix);
}

static int add_functions(struct elf_symbols *symbols, const struct elf_candidates *candidates)
{
    int status = 0;
    for (size_t i = 0; i < candidates->count && status == 0; i++) {
        const struct elf_candidate *candidate = &candidates->items[i];
        struct entry entry = {
            .start = candidate->start,
            .end = candidate->start + candidate->size,
            .kind = ELF_SYMBOL_FUNCTION,
        };
        symbols->languages |= languages_shown_by(candidate->alias.name, candidate->alias.length);
        status = add_function(symbols, entry, candidates, candidate);
    }
    return status;
}

static int add_plt(struct elf_symbols *symbols, const struct sources *sources)
{
    int status = 0;
    for (size_t i = 0; i < sources->plt.count && status == 0; i++) {
        const struct elf_plt_entry *slot = &sources->plt.items[i];
        const struct elf_candidate *chosen = slot->name ? NULL : candidate_at(&sources->candidates, slot->resolver);
        struct entry entry = {.start = slot->start, .end = slot->end, .kind = ELF_SYMBOL_PLT};

        if (slot->name)
            status = add_entry(symbols, entry, slot->name, slot->name_length, "@plt", 4);
        else if (chosen)
            status = add_entry(symbols, entry, chosen->alias.name, chosen->alias.length, "@plt", 4);
    }
    return status;
}

/* Builds the cover. Entries are sorted: if two contain an address, the later is the inner one. */
static int cover(struct elf_symbols *symbols)
{
    size_t count = symbols->entries.count;
    struct range_cover_part *ranges = calloc(count + 1, sizeof *ranges);
    bool done;
    if (!ranges)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        ranges[i] = (struct range_cover_part){
            .start = symbols->entries.items[i].start,
            .end = symbols->entries.items[i].end,
            .item = (uint32_t)i,
            .priority = (uint32_t)i,
        };
    done = range_cover_build(&symbols->cover, ranges, count);
    free(ranges);
    return done ? 0 : -ENOMEM;
}

static int fill(struct elf_symbols *symbols, struct sources *sources, const struct elf_debug_search *search)
{
    int status = elf_ranges_read(&symbols->ranges, sources->file, &sources->own);
    if (status == 0)
        status = gather(symbols, sources, search);
    if (status == 0)
        status = elf_plt_read(&sources->plt, &sources->own);
    if (status < 0)
        return status;
    elf_functions_settle(&sources->candidates, &symbols->ranges, sources->file);
    status = add_functions(symbols, &sources->candidates);
    if (status == 0)
        status = add_plt(symbols, sources);
    return status < 0 ? status : cover(symbols);
}

int elf_symbols_new(const struct elf_file *file, const struct elf_debug_search *search, struct elf_symbols **symbols,
                    struct error *error)
{
    struct sources sources = {.file = file, .debug = {.fd = -1}};
    struct elf_symbols *filled = calloc(1, sizeof *filled);
    int status;
    *symbols = NULL;
    if (!filled)
        return error_system(error, ENOMEM, "cannot read the symbols");
    status = elf_sections_open(&sources.own, file, error);
    if (status == 0 && (status = fill(filled, &sources, search)) < 0)
        error_system(error, -status, "cannot read the symbols");
    sources_fini(&sources);
    if (status < 0)
        elf_symbols_free(filled);
    else
        *symbols = filled;
    return status;
}

uint64_t elf_symbols_bytes(const struct elf_symbols *symbols)
{
    return sizeof *symbols + symbols->names.length + symbols->entries.room * sizeof *symbols->entries.items;
}

void elf_symbols_free(struct elf_symbols *symbols)
{
    if (!symbols)
        return;
    free(symbols->entries.items);
    buffer_fini(&symbols->names);
    range_cover_fini(&symbols->cover);
    elf_ranges_fini(&symbols->ranges);
    free(symbols);
}

bool elf_symbols_find(const struct elf_symbols *symbols, uint64_t vaddr, struct elf_symbol *found)
{
    const struct range_cover_part *piece = range_cover_find(&symbols->cover, vaddr);
    const struct elf_range *range;
    if (piece) {
        const struct entry *entry = &symbols->entries.items[piece->item];
        *found = (struct elf_symbol){
            .name = symbols->names.bytes + entry->name,
            .start = entry->start,
            .end = entry->end,
            .kind = entry->kind,
        };
        return true;
    }
    range = elf_ranges_find(&symbols->ranges, vaddr);
    if (!range)
        return false;
    *found = (struct elf_symbol){.start = range->start, .end = range->end, .kind = ELF_SYMBOL_RANGE};
    return true;
}

unsigned elf_symbols_languages(const struct elf_symbols *symbols)
{
    return symbols->languages;
}

bool elf_symbols_has_full_table(const struct elf_symbols *symbols)
{
    return symbols->has_full_table;
}
