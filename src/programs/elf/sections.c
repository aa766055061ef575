/* SPDX-License-Identifier: MIT */
#include "programs/elf/sections.h"

#include "common/base/error.h"

#include <errno.h>
#include <string.h>

#define NAMES_MAX (UINT64_C(1) << 24) /* bytes of section names */
#define NAME_MAX_SIZE 64
#define SEARCHED_MAX (UINT64_C(64) << 20) /* bytes of a section that is searched */

int elf_sections_open(struct elf_sections *sections, const struct elf_file *file, struct error *error)
{
    size_t names;
    int status;
    *sections = (struct elf_sections){0};
    status = elf_file_begin(file, &sections->elf, error);
    if (status < 0)
        return status;
    if (elf_getshdrnum(sections->elf, &sections->count) < 0) {
        elf_sections_close(sections);
        return error_set(error, ENOEXEC, "a damaged ELF file: %s", elf_errmsg(-1));
    }
    if (elf_getshdrstrndx(sections->elf, &names) == 0)
        sections->names = elf_sections_data(sections, names, NAMES_MAX);
    return 0;
}

void elf_sections_close(struct elf_sections *sections)
{
    if (sections->elf)
        elf_end(sections->elf);
    *sections = (struct elf_sections){0};
}

bool elf_sections_header(const struct elf_sections *sections, size_t index, GElf_Shdr *header)
{
    Elf_Scn *section = index && index < sections->count ? elf_getscn(sections->elf, index) : NULL;
    return section && gelf_getshdr(section, header);
}

const char *elf_sections_name(const struct elf_sections *sections, size_t index)
{
    GElf_Shdr header;
    const char *name;
    size_t left;
    if (!sections->names || !elf_sections_header(sections, index, &header) || header.sh_name >= sections->names->d_size)
        return "";
    name = (const char *)sections->names->d_buf + header.sh_name;
    left = sections->names->d_size - header.sh_name;
    return memchr(name, 0, left < NAME_MAX_SIZE ? left : NAME_MAX_SIZE) ? name : "";
}

size_t elf_sections_size_of(const struct elf_sections *sections, Elf_Type type)
{
    size_t size = gelf_fsize(sections->elf, type, 1, EV_CURRENT);
    return size ? size : 1;
}

size_t elf_sections_find(const struct elf_sections *sections, uint32_t type, const char *name)
{
    GElf_Shdr header;
    for (size_t i = 1; i < sections->count; i++)
        if (elf_sections_header(sections, i, &header) && (!type || header.sh_type == type) &&
            (!name || strcmp(elf_sections_name(sections, i), name) == 0))
            return i;
    return 0;
}

Elf_Data *elf_sections_data(const struct elf_sections *sections, size_t index, uint64_t limit)
{
    GElf_Shdr header;
    Elf_Data *data;
    if (!elf_sections_header(sections, index, &header) || header.sh_type == SHT_NOBITS ||
        (header.sh_flags & SHF_COMPRESSED) || !header.sh_size || header.sh_size > limit)
        return NULL;
    data = elf_getdata(elf_getscn(sections->elf, index), NULL);
    return data && data->d_buf && data->d_size ? data : NULL;
}

Elf_Data *elf_sections_unpacked_data(const struct elf_sections *sections, size_t index, uint64_t limit)
{
    GElf_Shdr header;
    GElf_Chdr packed;
    Elf_Scn *section;
    if (!elf_sections_header(sections, index, &header))
        return NULL;
    section = elf_getscn(sections->elf, index);
    if ((header.sh_flags & SHF_COMPRESSED) && (header.sh_size > limit || !gelf_getchdr(section, &packed) ||
                                               packed.ch_size > limit || elf_compress(section, 0, 0) < 0))
        return NULL;
    return elf_sections_data(sections, index, limit);
}

bool elf_sections_find_text(const struct elf_file *file, const char *name, const char *text, char *found, size_t size)
{
    struct elf_sections sections;
    if (elf_sections_open(&sections, file, NULL) < 0)
        return false;
    const Elf_Data *data = elf_sections_data(&sections, elf_sections_find(&sections, 0, name), SEARCHED_MAX);
    const char *begin = data ? data->d_buf : NULL;
    const char *at = begin ? memmem(begin, data->d_size, text, strlen(text)) : NULL;
    bool is_there = at && data->d_size - (size_t)(at - begin) >= size;
    if (is_there) {
        memcpy(found, at, size - 1);
        found[size - 1] = 0;
    }
    elf_sections_close(&sections);
    return is_there;
}
