/* SPDX-License-Identifier: MIT */
#include "programs/elf/plt.h"

#include "common/arch/code.h"
#include "common/arch/machine.h"
#include "common/base/array.h"
#include "programs/elf/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SECTIONS_MAX (UINT64_C(128) << 20) /* bytes of all relocation sections and of the PLT together */
#define SLOTS_MAX ((size_t)1 << 20)
#define SLOT_SIZE 16 /* size of a usual entry; .plt.got has entries of 8 bytes, so every multiple of 8 is tried */
#define SLOT_STEP 8

static const char retpoline[] = "retpoline"; /* the common code of the entries */

/* A word of the global offset table that a relocation fills with a function's address. */
struct word {
    uint64_t address;
    uint64_t resolver;
    size_t symbol;  /* 0: only RESOLVER is known */
    size_t strings; /* the section with the symbol's name, */
    size_t symbols; /* and the one with the symbol */
};

struct words {
    struct word *items;
    size_t count, room;
};

/* State of reading: the words by address, and in the order in which lazy entries use them. */
struct reader {
    const struct elf_sections *sections;
    bool compat;
    uint64_t offsets; /* base address of 32-bit position-independent entries */
    uint64_t left;    /* bytes of sections that may still be read: many sections can refer to the same hole in the
                       * file */
    size_t symbols;   /* section with the symbols of all relocations; 0: none yet */
    struct words sorted, lazy;
    struct elf_plt *plt;
};

static bool names_a_function(uint64_t type, bool compat)
{
    if (compat)
        return type == ARCH_COMPAT_RELOCATION_JUMP || type == ARCH_COMPAT_RELOCATION_ADDRESS;
    return type == ARCH_RELOCATION_JUMP || type == ARCH_RELOCATION_ADDRESS || type == ARCH_RELOCATION_CHOSEN;
}

/* Returns the bytes of section INDEX, which has HEADER. Returns NULL if it has none, or if that would be too much. */
static struct elf_data *read_section(struct reader *reader, size_t index, const Elf64_Shdr *header)
{
    if (header->sh_size > reader->left)
        return NULL;
    reader->left -= header->sh_size;
    return elf_sections_data(reader->sections, index, SECTIONS_MAX);
}

/* Sets SYMBOLS to the header of the symbol section that HEADER, of a relocation section, refers to. Returns its index,
 * or 0 if it does not exist or earlier relocations use another one. */
static size_t find_symbols(struct reader *reader, const Elf64_Shdr *header, Elf64_Shdr *symbols)
{
    if (!elf_sections_header(reader->sections, header->sh_link, symbols))
        return 0;
    if (!reader->symbols)
        reader->symbols = header->sh_link;
    return reader->symbols == header->sh_link ? reader->symbols : 0;
}

/* Appends to WORDS the words that the relocations in DATA fill. DATA is a section with HEADER. EVERY: includes
 * relocations that do not name a function. Returns false if memory runs out. */
static bool read_words(struct words *words, struct reader *reader, struct elf_data *data, const Elf64_Shdr *header,
                       bool every)
{
    Elf64_Shdr table = {0};
    size_t count = data ? data->size / elf_sections_size_of(reader->sections, data->type) : 0;
    size_t symbols = find_symbols(reader, header, &table);
    Elf64_Rela relocation;
    for (size_t i = 0; i < count && words->count < SLOTS_MAX; i++) {
        if (!elf_data_relocation(data, i, &relocation))
            break;
        uint64_t type = ELF64_R_TYPE(relocation.r_info);
        bool compat = data->type == ELF_DATA_REL, chosen = !compat && type == ARCH_RELOCATION_CHOSEN;
        if (!every && !names_a_function(type, compat))
            continue;
        if (!ARRAY_RESERVE_ONE(words))
            return false;
        words->items[words->count++] = (struct word){
            .address = relocation.r_offset,
            .resolver = chosen ? (uint64_t)relocation.r_addend : 0,
            .symbol = chosen ? 0 : ELF64_R_SYM(relocation.r_info),
            .symbols = symbols,
            .strings = symbols ? table.sh_link : 0,
        };
    }
    return true;
}

static int compare_words(const void *a, const void *b)
{
    const struct word *one = a, *other = b;
    return (one->address > other->address) - (one->address < other->address);
}

static bool read_relocations(struct reader *reader)
{
    const struct elf_sections *sections = reader->sections;
    Elf64_Shdr header;
    for (size_t i = 1; i < sections->count; i++) {
        if (!elf_sections_header(sections, i, &header) || header.sh_type != (reader->compat ? SHT_REL : SHT_RELA) ||
            !(header.sh_flags & SHF_ALLOC))
            continue;
        struct elf_data *data = read_section(reader, i, &header);
        if (!read_words(&reader->sorted, reader, data, &header, false))
            return false;
        const char *lazy = reader->compat ? ".rel.plt" : ".rela.plt";
        if (!reader->lazy.count && strcmp(elf_sections_name(sections, i), lazy) == 0 &&
            !read_words(&reader->lazy, reader, data, &header, true))
            return false;
    }
    if (reader->sorted.count)
        qsort(reader->sorted.items, reader->sorted.count, sizeof *reader->sorted.items, compare_words);
    return true;
}

static const struct word *word_of_slot(const struct reader *reader, const struct arch_plt_slot *slot)
{
    struct word key = {.address = slot->value};
    if (slot->kind == ARCH_PLT_SLOT_LAZY)
        return slot->value < reader->lazy.count ? &reader->lazy.items[slot->value] : NULL;
    if (slot->kind == ARCH_PLT_SLOT_JUMP && reader->sorted.count)
        return bsearch(&key, reader->sorted.items, reader->sorted.count, sizeof key, compare_words);
    return NULL;
}

/* Sets ENTRY's name from WORD's symbol. Returns false if neither the symbol nor a resolver is known. */
static bool name_entry(struct elf_plt_entry *entry, const struct elf_sections *sections, const struct word *word)
{
    struct elf_data *symbols = elf_sections_data(sections, word->symbols, ELF_TABLE_SYMBOLS_MAX);
    struct elf_data *strings = elf_sections_data(sections, word->strings, ELF_TABLE_STRINGS_MAX);
    struct elf_alias alias = {0};
    const char *name;
    Elf64_Sym symbol;
    size_t length;
    entry->resolver = word->resolver;
    if (!word->symbol)
        return word->resolver != 0;
    if (!symbols || !strings || symbols->type != ELF_DATA_SYMBOLS || !elf_data_symbol(symbols, word->symbol, &symbol))
        return false;
    name = elf_table_string(strings, symbol.st_name, &length);
    if (!name)
        return false;
    elf_alias_set_name(&alias, name, length);
    entry->name = alias.name;
    entry->name_length = alias.length;
    return entry->name_length > 0;
}

/* Appends the entry at OFFSET of a PLT section's DATA, loaded at ADDRESS, if one exists. Returns false if memory
 * runs out. */
static bool read_slot(struct reader *reader, const struct elf_data *data, uint64_t address, size_t offset)
{
    struct elf_plt *plt = reader->plt;
    struct elf_plt_entry entry = {.start = address + offset};
    const uint8_t *bytes = (const uint8_t *)data->bytes + offset;
    size_t size = data->size - offset;
    struct arch_plt_slot slot = reader->compat ? arch_plt_slot_decode_compat(bytes, size, reader->offsets)
                                               : arch_plt_slot_decode(bytes, size, entry.start);
    const struct word *word = word_of_slot(reader, &slot);
    if (slot.kind == ARCH_PLT_SLOT_RETPOLINE) {
        entry.name = retpoline;
        entry.name_length = sizeof retpoline - 1;
    } else if (!word || !name_entry(&entry, reader->sections, word)) {
        return true;
    }
    size_t whole = slot.size ? slot.size : SLOT_SIZE;
    entry.end = entry.start + (size < whole ? size : whole);
    if (plt->count && plt->items[plt->count - 1].end > entry.start && plt->items[plt->count - 1].start < entry.start)
        plt->items[plt->count - 1].end = entry.start;
    if (!ARRAY_RESERVE_ONE(plt))
        return false;
    plt->items[plt->count++] = entry;
    return true;
}

static bool is_plt(const struct elf_sections *sections, size_t index, Elf64_Shdr *header)
{
    const char *name = elf_sections_name(sections, index);
    return (strncmp(name, ".plt", 4) == 0 || strncmp(name, ".iplt", 5) == 0) &&
           elf_sections_header(sections, index, header) && header->sh_type == SHT_PROGBITS &&
           (header->sh_flags & SHF_EXECINSTR) && header->sh_size <= UINT64_MAX - header->sh_addr;
}

static bool read_slots(struct reader *reader, size_t index)
{
    Elf64_Shdr header;
    struct elf_data *data;
    size_t step;
    if (!is_plt(reader->sections, index, &header))
        return true;
    data = read_section(reader, index, &header);
    step = header.sh_entsize == SLOT_SIZE ? SLOT_SIZE : SLOT_STEP;
    for (size_t at = 0; data && at < data->size && reader->plt->count < SLOTS_MAX; at += step)
        if (!read_slot(reader, data, header.sh_addr, at))
            return false;
    return true;
}

static struct reader begin(struct elf_plt *plt, const struct elf_sections *sections)
{
    struct reader reader = {
        .sections = sections, .plt = plt, .compat = sections->file->is_compat, .left = SECTIONS_MAX};
    size_t table = elf_sections_find(sections, 0, ".got.plt");
    Elf64_Shdr header;
    if (!table)
        table = elf_sections_find(sections, 0, ".got");
    if (table && elf_sections_header(sections, table, &header))
        reader.offsets = header.sh_addr;
    return reader;
}

int elf_plt_read(struct elf_plt *plt, const struct elf_sections *sections)
{
    struct reader reader = begin(plt, sections);
    bool done = read_relocations(&reader);
    for (size_t i = 1; done && i < sections->count; i++)
        done = read_slots(&reader, i);
    free(reader.sorted.items);
    free(reader.lazy.items);
    return done ? 0 : -ENOMEM;
}

void elf_plt_fini(struct elf_plt *plt)
{
    free(plt->items);
    *plt = (struct elf_plt){0};
}
