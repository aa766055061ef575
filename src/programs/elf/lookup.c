/* SPDX-License-Identifier: MIT */
#include "programs/elf/lookup.h"

#include "programs/elf/table.h"

#include <string.h>

static bool has_name(const struct elf_lookup *wanted, const char *name, size_t length)
{
    size_t size = strlen(wanted->name);
    if (size && wanted->name[size - 1] == '*')
        return length >= size - 1 && !strncmp(name, wanted->name, size - 1);
    return length == size && !memcmp(name, wanted->name, size);
}

static void note(struct elf_lookup *names, size_t count, const Elf64_Sym *symbol, const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (!names[i].is_found && has_name(&names[i], name, length)) {
            names[i].is_found = true;
            names[i].vaddr = symbol->st_value;
            names[i].size = symbol->st_size;
            names[i].is_thread_local = ELF64_ST_TYPE(symbol->st_info) == STT_TLS;
            return;
        }
}

static void read_table(const struct elf_sections *sections, uint32_t type, struct elf_lookup *names, size_t count,
                       size_t most)
{
    struct elf_table table;
    Elf64_Shdr header;
    size_t symbol_size = elf_sections_size_of(sections, ELF_DATA_SYMBOLS);
    if (!elf_sections_header(sections, elf_sections_find(sections, type, NULL), &header) ||
        header.sh_size / symbol_size > most || !elf_table_open(&table, sections, type))
        return;
    size_t symbols = table.symbols->size / symbol_size;
    for (size_t i = 1; i < symbols; i++) {
        Elf64_Sym symbol;
        size_t length;
        if (!elf_data_symbol(table.symbols, i, &symbol) || symbol.st_shndx == SHN_UNDEF ||
            elf_table_has_old_version(&table, i))
            continue;
        const char *name = elf_table_string(table.strings, symbol.st_name, &length);
        if (name)
            note(names, count, &symbol, name, length);
    }
}

size_t elf_lookup(const struct elf_file *file, struct elf_lookup *names, size_t count)
{
    return elf_lookup_within(file, names, count, SIZE_MAX);
}

size_t elf_lookup_within(const struct elf_file *file, struct elf_lookup *names, size_t count, size_t most)
{
    struct elf_sections sections;
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        names[i].is_found = false;
    if (elf_sections_open(&sections, file, NULL) < 0)
        return 0;
    read_table(&sections, SHT_SYMTAB, names, count, most);
    read_table(&sections, SHT_DYNSYM, names, count, most);
    elf_sections_close(&sections);
    for (size_t i = 0; i < count; i++)
        found += names[i].is_found;
    return found;
}
