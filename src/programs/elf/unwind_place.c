/* SPDX-License-Identifier: MIT */
#include "programs/elf/unwind_place.h"

#include "programs/elf/file.h"
#include "programs/elf/image.h"
#include "programs/elf/sections.h"
#include "programs/elf/unwind_table.h"

static bool place_from_header(const struct elf_file *file, uint64_t *start)
{
    uint64_t header_start, header_end, size;
    uint8_t bytes[12];
    if (!elf_file_unwind_header(file, &header_start, &header_end))
        return false;
    size = header_end - header_start < sizeof bytes ? header_end - header_start : sizeof bytes;
    return elf_file_read(file, header_start, bytes, (size_t)size) == 0 &&
           elf_unwind_table_start(bytes, (size_t)size, header_start, start);
}

static bool find_section(const struct elf_sections *sections, Elf64_Shdr *header)
{
    size_t index = sections ? elf_sections_find(sections, 0, ".eh_frame") : 0;
    return index && elf_sections_header(sections, index, header) && header->sh_size &&
           header->sh_size <= UINT64_MAX - header->sh_addr;
}

bool elf_unwind_place(const struct elf_file *file, const struct elf_sections *sections, struct elf_unwind_place *place)
{
    const struct elf_segment *segment;
    Elf64_Shdr header;
    bool has_section = find_section(sections, &header);
    if (!place_from_header(file, &place->start)) {
        if (!has_section)
            return false;
        place->start = header.sh_addr;
    }
    segment = elf_file_segment(file, place->start);
    if (!segment)
        return false;
    place->end = segment->vaddr + segment->file_size;
    if (has_section && header.sh_addr == place->start && header.sh_addr + header.sh_size < place->end)
        place->end = header.sh_addr + header.sh_size;
    if (place->end - place->start > ELF_UNWIND_TABLE_MAX)
        place->end = place->start + ELF_UNWIND_TABLE_MAX;
    return true;
}
