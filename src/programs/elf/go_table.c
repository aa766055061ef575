/* SPDX-License-Identifier: MIT
 *
 * Format of the table: a number for its layout, the size of an address, then words with counts and the offsets of its
 * parts. One part lists, in order, the address of each function and the offset of its entry. An entry begins with the
 * address and the offset of the name among the names. From Go 1.18 on, addresses are 4 bytes, relative to the program's
 * first function. */
#include "programs/elf/table.h"

#include <string.h>

#define TABLE_MAX (UINT64_C(512) << 20) /* bytes */
#define FUNCTIONS_MAX ((size_t)4 << 20)

/* Numbers of layouts. */
enum { GO_1_16 = 0xfffffffa, GO_1_18 = 0xfffffff0, GO_1_20 = 0xfffffff1 };

/* The words after the first 8 bytes. Layouts before 1.18 lack TEXT. */
enum { COUNT = 0, TEXT = 2, NAMES = 3, FUNCTIONS = 7 };

struct go_table {
    struct elf_data data; /* from the table's beginning to the end of its section */
    uint64_t vaddr;
    unsigned word, address; /* bytes of a word, and of an address in the list of functions */
    uint64_t count, text, names, functions;
    uint64_t limit; /* where the code ends */
};

/* Returns the number of SIZE bytes, 4 or 8, at OFFSET of the table, or 0 if it is not there. */
static uint64_t number_at(const struct go_table *table, uint64_t offset, unsigned size)
{
    uint64_t number = 0;
    if (offset > table->data.size || table->data.size - offset < size)
        return 0;
    memcpy(&number, (const uint8_t *)table->data.bytes + offset, size);
    return number;
}

static uint64_t header_offset(const struct go_table *table, unsigned word)
{
    return 8 + (uint64_t)word * table->word;
}

/* Returns the addend of the relocation at VADDR, which the dynamic linker adds to the program's address. Returns 0 if
 * there is none. */
static uint64_t relocated(const struct elf_sections *sections, uint64_t vaddr)
{
    Elf64_Shdr header;
    Elf64_Rela relocation;
    for (size_t i = 1; i < sections->count; i++) {
        if (!elf_sections_header(sections, i, &header) || header.sh_type != SHT_RELA || !(header.sh_flags & SHF_ALLOC))
            continue;
        struct elf_data *data = elf_sections_data(sections, i, TABLE_MAX);
        size_t count = data ? data->size / elf_sections_size_of(sections, data->type) : 0;
        for (size_t j = 0; j < count && elf_data_relocation(data, j, &relocation); j++)
            if (relocation.r_offset == vaddr)
                return (uint64_t)relocation.r_addend;
    }
    return 0;
}

/* Reads the words of the header. */
static void read_header(struct go_table *table, const struct elf_sections *sections, bool has_text)
{
    unsigned less = has_text ? 0 : 1;
    uint64_t text_at = header_offset(table, TEXT);
    table->count = number_at(table, header_offset(table, COUNT), table->word);
    table->names = number_at(table, header_offset(table, NAMES - less), table->word);
    table->functions = number_at(table, header_offset(table, FUNCTIONS - less), table->word);
    if (has_text)
        table->text = number_at(table, text_at, table->word);
    if (has_text && !table->text)
        table->text = relocated(sections, table->vaddr + text_at);
}

static bool is_layout(uint32_t layout)
{
    return layout == GO_1_16 || layout == GO_1_18 || layout == GO_1_20;
}

/* Searches section INDEX for the beginning of a table: the layout, two zeros, and the sizes of the smallest instruction
 * and of an address. Linkers other than Go's put the table among other data. */
static bool search_table(struct go_table *table, const struct elf_sections *sections, size_t index)
{
    enum { ALIGNMENT = 32, BEGINNING = 8 };
    Elf64_Shdr header;
    const struct elf_data *data = elf_sections_data(sections, index, TABLE_MAX);
    if (!data || !elf_sections_header(sections, index, &header))
        return false;
    for (uint64_t at = -header.sh_addr % ALIGNMENT; at < data->size && data->size - at >= BEGINNING; at += ALIGNMENT) {
        const uint8_t *bytes = (const uint8_t *)data->bytes + at;
        uint32_t layout;
        memcpy(&layout, bytes, sizeof layout);
        if (!is_layout(layout) || bytes[4] || bytes[5] || (bytes[7] != 4 && bytes[7] != 8))
            continue;
        table->data = *data;
        table->data.bytes = (uint8_t *)data->bytes + at;
        table->data.size = data->size - (size_t)at;
        table->vaddr = header.sh_addr + at;
        table->word = bytes[7];
        table->address = layout == GO_1_16 ? table->word : 4;
        read_header(table, sections, layout != GO_1_16);
        return true;
    }
    return false;
}

/* Opens the table of SECTIONS. Returns false if there is none, or it cannot be read. */
static bool open_table(struct go_table *table, const struct elf_sections *sections)
{
    static const char *const places[] = {".gopclntab", ".data.rel.ro.gopclntab", ".data.rel.ro", ".rodata"};
    bool is_go = elf_sections_find(sections, 0, ".go.buildinfo") || elf_sections_find(sections, 0, places[0]);
    bool found = false;
    Elf64_Shdr code;
    if (!is_go || !elf_sections_header(sections, elf_sections_find(sections, SHT_PROGBITS, ".text"), &code))
        return false;
    for (size_t i = 0; i < sizeof places / sizeof *places && !found; i++)
        found = search_table(table, sections, elf_sections_find(sections, 0, places[i]));
    table->limit = code.sh_size <= UINT64_MAX - code.sh_addr ? code.sh_addr + code.sh_size : 0;
    return found && table->functions < table->data.size && table->names < table->data.size &&
           table->count < FUNCTIONS_MAX;
}

/* Returns where function NUMBER begins. For the number after the last one, returns where the last function ends. */
static uint64_t start_of(const struct go_table *table, uint64_t number)
{
    return table->text + number_at(table, table->functions + number * 2 * table->address, table->address);
}

/* Fills CANDIDATE from function NUMBER. Returns false if the result makes no sense. */
static bool read_function(const struct go_table *table, uint64_t number, const struct elf_file *file,
                          struct elf_candidate *candidate)
{
    uint64_t place = table->functions + (number * 2 + 1) * table->address;
    uint64_t entry = table->functions + number_at(table, place, table->address);
    uint64_t start = start_of(table, number), end = start_of(table, number + 1);
    size_t length;
    if (entry < table->functions || start >= end || end > table->limit || !elf_file_is_text(file, start))
        return false;
    const char *name =
        elf_table_string(&table->data, table->names + number_at(table, entry + table->address, 4), &length);
    if (!name)
        return false;
    *candidate = (struct elf_candidate){
        .start = start,
        .size = end - start,
        .limit = table->limit,
        .alias = {.name = name, .length = length, .type = STT_FUNC, .binding = STB_LOCAL},
    };
    return true;
}

long elf_go_table_gather(struct elf_candidates *candidates, const struct elf_sections *sections,
                         const struct elf_file *file)
{
    struct go_table table = {0};
    struct elf_candidate candidate;
    size_t before = candidates->count;
    if (!open_table(&table, sections))
        return 0;
    for (uint64_t i = 0; i < table.count; i++) {
        if (!read_function(&table, i, file, &candidate))
            continue;
        int added = elf_candidates_add(candidates, &candidate);
        if (added < 0)
            return added;
        if (!added)
            break;
    }
    return (long)(candidates->count - before);
}

/* Every goroutine begins as if goexit had called it. The program's entry jumps to rt0_go. */
static bool has_no_caller(const char *name, bool *begins_thread)
{
    *begins_thread = !strcmp(name, "runtime.clone");
    return *begins_thread || !strcmp(name, "runtime.goexit") || !strcmp(name, "runtime.rt0_go");
}

void elf_go_table_ends(const struct elf_sections *sections, const struct elf_file *file, struct elf_go_ends *ends)
{
    struct go_table table = {0};
    struct elf_candidate candidate;
    bool thread;
    ends->count = 0;
    if (!open_table(&table, sections))
        return;
    for (uint64_t i = 0; i < table.count && ends->count < ELF_GO_ENDS_MOST; i++)
        if (read_function(&table, i, file, &candidate) && has_no_caller(candidate.alias.name, &thread))
            ends->items[ends->count++] = (struct elf_go_end){candidate.start, candidate.start + candidate.size, thread};
}
