/* SPDX-License-Identifier: MIT */
#include "programs/elf/sections.h"

#include "common/base/error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_MAX (UINT64_C(1) << 24) /* bytes of section names */
#define NAME_MAX_SIZE 64
#define SEARCHED_MAX (UINT64_C(64) << 20) /* bytes of a section that is searched */

int elf_sections_open(struct elf_sections *sections, const struct elf_file *file, struct error *error)
{
    struct elf_header header;
    int status = elf_file_header(file, &header, error);
    *sections = (struct elf_sections){0};
    if (status < 0)
        return status;
    sections->file = file;
    sections->headers = calloc(header.section_count + 1, sizeof *sections->headers);
    sections->data = calloc(header.section_count + 1, sizeof *sections->data);
    if (!sections->headers || !sections->data) {
        elf_sections_close(sections);
        return error_system(error, ENOMEM, "cannot read the sections");
    }
    if (elf_file_sections(file, &header, header.section_count, sections->headers))
        sections->count = header.section_count;
    sections->names = elf_sections_data(sections, header.names, NAMES_MAX);
    return 0;
}

void elf_sections_close(struct elf_sections *sections)
{
    for (size_t i = 0; i < sections->count; i++)
        free(sections->data[i].bytes);
    free(sections->data);
    free(sections->headers);
    *sections = (struct elf_sections){0};
}

bool elf_sections_header(const struct elf_sections *sections, size_t index, Elf64_Shdr *header)
{
    if (!index || index >= sections->count)
        return false;
    *header = sections->headers[index];
    return true;
}

const char *elf_sections_name(const struct elf_sections *sections, size_t index)
{
    Elf64_Shdr header;
    const char *name;
    size_t left;
    if (!sections->names || !elf_sections_header(sections, index, &header) || header.sh_name >= sections->names->size)
        return "";
    name = (const char *)sections->names->bytes + header.sh_name;
    left = sections->names->size - header.sh_name;
    return memchr(name, 0, left < NAME_MAX_SIZE ? left : NAME_MAX_SIZE) ? name : "";
}

static size_t item_size(bool compat, enum elf_data_type type)
{
    switch (type) {
    case ELF_DATA_SYMBOLS:
        return compat ? sizeof(Elf32_Sym) : sizeof(Elf64_Sym);
    case ELF_DATA_RELA:
        return compat ? sizeof(Elf32_Rela) : sizeof(Elf64_Rela);
    case ELF_DATA_REL:
        return compat ? sizeof(Elf32_Rel) : sizeof(Elf64_Rel);
    case ELF_DATA_DYNAMIC:
        return compat ? sizeof(Elf32_Dyn) : sizeof(Elf64_Dyn);
    default:
        return 1;
    }
}

size_t elf_sections_size_of(const struct elf_sections *sections, enum elf_data_type type)
{
    return item_size(sections->file->is_compat, type);
}

size_t elf_sections_find(const struct elf_sections *sections, uint32_t type, const char *name)
{
    for (size_t i = 1; i < sections->count; i++)
        if ((!type || sections->headers[i].sh_type == type) &&
            (!name || strcmp(elf_sections_name(sections, i), name) == 0))
            return i;
    return 0;
}

static enum elf_data_type type_of(uint32_t section_type)
{
    switch (section_type) {
    case SHT_SYMTAB:
    case SHT_DYNSYM:
        return ELF_DATA_SYMBOLS;
    case SHT_RELA:
        return ELF_DATA_RELA;
    case SHT_REL:
        return ELF_DATA_REL;
    case SHT_DYNAMIC:
        return ELF_DATA_DYNAMIC;
    default:
        return ELF_DATA_BYTES;
    }
}

/* Reads the bytes of section INDEX as they are in the file. */
static struct elf_data *read_data(const struct elf_sections *sections, size_t index)
{
    const Elf64_Shdr *header = &sections->headers[index];
    const struct elf_file *file = sections->file;
    struct elf_data *data = &sections->data[index];
    if (data->bytes)
        return data;
    if (header->sh_offset > file->size || header->sh_size > file->size - header->sh_offset)
        return NULL;
    data->bytes = malloc((size_t)header->sh_size);
    if (!data->bytes || elf_file_read_at(file, header->sh_offset, data->bytes, (size_t)header->sh_size) < 0) {
        free(data->bytes);
        data->bytes = NULL;
        return NULL;
    }
    data->size = (size_t)header->sh_size;
    data->type = type_of(header->sh_type);
    data->is_compat = file->is_compat;
    return data;
}

struct elf_data *elf_sections_data(const struct elf_sections *sections, size_t index, uint64_t limit)
{
    Elf64_Shdr header;
    if (!elf_sections_header(sections, index, &header) || header.sh_type == SHT_NOBITS ||
        (header.sh_flags & SHF_COMPRESSED) || !header.sh_size || header.sh_size > limit ||
        header.sh_size % elf_sections_size_of(sections, type_of(header.sh_type)))
        return NULL;
    return read_data(sections, index);
}

struct elf_data *elf_sections_packed_data(const struct elf_sections *sections, size_t index, uint64_t limit)
{
    Elf64_Shdr header;
    if (!elf_sections_header(sections, index, &header) || header.sh_type == SHT_NOBITS ||
        !(header.sh_flags & SHF_COMPRESSED) || !header.sh_size || header.sh_size > limit)
        return NULL;
    return read_data(sections, index);
}

/* Copies item NUMBER, of SIZE bytes. */
static bool copy_item(const struct elf_data *data, size_t number, void *item, size_t size)
{
    if (!data || number >= data->size / size)
        return false;
    memcpy(item, (const uint8_t *)data->bytes + number * size, size);
    return true;
}

bool elf_data_symbol(const struct elf_data *data, size_t number, Elf64_Sym *symbol)
{
    Elf32_Sym compat;
    if (!data || data->type != ELF_DATA_SYMBOLS)
        return false;
    if (!data->is_compat)
        return copy_item(data, number, symbol, sizeof *symbol);
    if (!copy_item(data, number, &compat, sizeof compat))
        return false;
    *symbol = (Elf64_Sym){
        .st_name = compat.st_name,
        .st_info = compat.st_info,
        .st_other = compat.st_other,
        .st_shndx = compat.st_shndx,
        .st_value = compat.st_value,
        .st_size = compat.st_size,
    };
    return true;
}

static uint64_t wide_info(uint32_t info)
{
    return ELF64_R_INFO((uint64_t)ELF32_R_SYM(info), ELF32_R_TYPE(info));
}

/* A compat relocation of either type begins like Elf32_Rel. */
static bool compat_relocation(const struct elf_data *data, size_t number, Elf64_Rela *relocation)
{
    Elf32_Rela compat = {0};
    if (!copy_item(data, number, &compat, item_size(true, data->type)))
        return false;
    *relocation =
        (Elf64_Rela){.r_offset = compat.r_offset, .r_info = wide_info(compat.r_info), .r_addend = compat.r_addend};
    return true;
}

bool elf_data_relocation(const struct elf_data *data, size_t number, Elf64_Rela *relocation)
{
    if (!data || (data->type != ELF_DATA_RELA && data->type != ELF_DATA_REL))
        return false;
    if (data->is_compat)
        return compat_relocation(data, number, relocation);
    *relocation = (Elf64_Rela){0};
    return copy_item(data, number, relocation, item_size(false, data->type));
}

bool elf_data_dynamic(const struct elf_data *data, size_t number, Elf64_Dyn *entry)
{
    Elf32_Dyn compat;
    if (!data || data->type != ELF_DATA_DYNAMIC)
        return false;
    if (!data->is_compat)
        return copy_item(data, number, entry, sizeof *entry);
    if (!copy_item(data, number, &compat, sizeof compat))
        return false;
    *entry = (Elf64_Dyn){.d_tag = compat.d_tag, .d_un.d_val = compat.d_un.d_val};
    return true;
}

bool elf_data_word(const struct elf_data *data, size_t number, uint32_t *word)
{
    return copy_item(data, number, word, sizeof *word);
}

bool elf_data_version(const struct elf_data *data, size_t number, uint16_t *version)
{
    return copy_item(data, number, version, sizeof *version);
}

bool elf_sections_find_text(const struct elf_file *file, const char *name, const char *text, char *found, size_t size)
{
    struct elf_sections sections;
    if (elf_sections_open(&sections, file, NULL) < 0)
        return false;
    const struct elf_data *data = elf_sections_data(&sections, elf_sections_find(&sections, 0, name), SEARCHED_MAX);
    const char *begin = data ? data->bytes : NULL;
    const char *at = begin ? memmem(begin, data->size, text, strlen(text)) : NULL;
    bool is_there = at && data->size - (size_t)(at - begin) >= size;
    if (is_there) {
        memcpy(found, at, size - 1);
        found[size - 1] = 0;
    }
    elf_sections_close(&sections);
    return is_there;
}
