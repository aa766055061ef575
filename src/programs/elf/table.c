/* SPDX-License-Identifier: MIT */
#include "programs/elf/table.h"

#include "common/base/array.h"

#include <errno.h>
#include <string.h>

#define CANDIDATES_MAX ((size_t)4 << 20)
#define CANDIDATE_NAMES_MAX (UINT64_C(1) << 30) /* bytes */
#define NAME_SIZE_MAX ((size_t)128 << 10)

const char *elf_table_string(const struct elf_data *strings, uint64_t offset, size_t *length)
{
    const char *name, *end;
    size_t left;
    if (!strings || offset >= strings->size)
        return NULL;
    name = (const char *)strings->bytes + offset;
    left = strings->size - (size_t)offset;
    end = memchr(name, 0, left < NAME_SIZE_MAX ? left : NAME_SIZE_MAX);
    if (!end || end == name)
        return NULL;
    *length = (size_t)(end - name);
    return name;
}

/* Returns the data of the section of TYPE that belongs to symbol table INDEX. */
static struct elf_data *companion(const struct elf_sections *sections, uint32_t type, size_t index)
{
    Elf64_Shdr header;
    for (size_t i = 1; i < sections->count; i++)
        if (elf_sections_header(sections, i, &header) && header.sh_type == type && header.sh_link == index)
            return elf_sections_data(sections, i, ELF_TABLE_SYMBOLS_MAX);
    return NULL;
}

bool elf_table_open(struct elf_table *table, const struct elf_sections *sections, uint32_t type)
{
    size_t index = elf_sections_find(sections, type, NULL);
    Elf64_Shdr header;
    *table = (struct elf_table){.sections = sections};
    if (!index || !elf_sections_header(sections, index, &header) ||
        header.sh_entsize != elf_sections_size_of(sections, ELF_DATA_SYMBOLS))
        return false;
    table->symbols = elf_sections_data(sections, index, ELF_TABLE_SYMBOLS_MAX);
    table->strings = elf_sections_data(sections, header.sh_link, ELF_TABLE_STRINGS_MAX);
    if (!table->symbols || !table->strings)
        return false;
    table->versions = companion(sections, SHT_GNU_versym, index);
    table->long_indices = companion(sections, SHT_SYMTAB_SHNDX, index);
    return true;
}

/* Finds the section of code that holds symbol NUMBER, and sets *HEADER to its header. */
static bool find_section(const struct elf_table *table, size_t number, const Elf64_Sym *symbol, Elf64_Shdr *header)
{
    uint32_t index = symbol->st_shndx;
    if (index == SHN_XINDEX && !elf_data_word(table->long_indices, number, &index))
        return false;
    if (index == SHN_UNDEF || (index >= SHN_LORESERVE && symbol->st_shndx != SHN_XINDEX))
        return false;
    return elf_sections_header(table->sections, index, header) && (header->sh_flags & SHF_ALLOC) &&
           (header->sh_flags & SHF_EXECINSTR) && header->sh_size <= UINT64_MAX - header->sh_addr &&
           symbol->st_value >= header->sh_addr && symbol->st_value - header->sh_addr < header->sh_size;
}

/* Returns true for labels made by a compiler or an assembler: mapping symbols, local labels, annobin's notes. */
static bool is_internal_label(const char *name)
{
    return *name == '.' || *name == '$';
}

/* Returns the name of SYMBOL, not 0-terminated, and its *LENGTH. A name that is too long is cut. */
static const char *name_of(const struct elf_data *strings, const Elf64_Sym *symbol, size_t *length)
{
    const char *name = elf_table_string(strings, symbol->st_name, length);
    if (name || symbol->st_name >= strings->size || strings->size - symbol->st_name <= NAME_SIZE_MAX)
        return name;
    name = (const char *)strings->bytes + symbol->st_name;
    *length = strnlen(name, NAME_SIZE_MAX - 1);
    return *length ? name : NULL;
}

/* Returns true, and fills CANDIDATE, if symbol NUMBER names code. */
static bool consider(const struct elf_table *table, size_t number, struct elf_candidate *candidate)
{
    Elf64_Sym symbol;
    Elf64_Shdr section;
    const char *name;
    size_t length;
    unsigned char type;
    if (!elf_data_symbol(table->symbols, number, &symbol))
        return false;
    type = ELF64_ST_TYPE(symbol.st_info);
    if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
        return false;
    if (!find_section(table, number, &symbol, &section))
        return false;
    name = name_of(table->strings, &symbol, &length);
    if (!name || (type == STT_NOTYPE && is_internal_label(name)))
        return false;
    *candidate = (struct elf_candidate){
        .start = symbol.st_value,
        .size = symbol.st_size,
        .limit = section.sh_addr + section.sh_size,
        .alias = {.type = type, .binding = ELF64_ST_BIND(symbol.st_info)},
    };
    elf_alias_set_name(&candidate->alias, name, length);
    return candidate->alias.length > 0;
}

/* In .dynsym the version is a number in another table. A bit in it marks versions that new programs do not use. */
bool elf_table_has_old_version(const struct elf_table *table, size_t number)
{
    uint16_t version;
    return elf_data_version(table->versions, number, &version) && (version & 0x8000);
}

int elf_candidates_add(struct elf_candidates *candidates, const struct elf_candidate *candidate)
{
    candidates->name_bytes += candidate->alias.length;
    if (candidates->count >= CANDIDATES_MAX || candidates->name_bytes > CANDIDATE_NAMES_MAX)
        return 0;
    if (!ARRAY_RESERVE_ONE(candidates))
        return -ENOMEM;
    candidates->items[candidates->count++] = *candidate;
    return 1;
}

long elf_table_gather(struct elf_candidates *candidates, const struct elf_sections *sections, uint32_t type,
                      const struct elf_file *file)
{
    struct elf_table table;
    size_t before = candidates->count, count;
    if (!elf_table_open(&table, sections, type))
        return 0;
    count = table.symbols->size / elf_sections_size_of(sections, ELF_DATA_SYMBOLS);
    for (size_t i = 1; i < count; i++) {
        struct elf_candidate candidate;
        if (!consider(&table, i, &candidate) || !elf_file_is_text(file, candidate.start))
            continue;
        candidate.alias.old_version |= elf_table_has_old_version(&table, i);
        int added = elf_candidates_add(candidates, &candidate);
        if (added < 0)
            return added;
        if (!added)
            break;
    }
    return (long)(candidates->count - before);
}
