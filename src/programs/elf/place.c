/* SPDX-License-Identifier: MIT
 *
 * Finds which part of an open file is loaded at which address. */
#include "programs/elf/file.h"

#include "programs/elf/image.h"

#include <errno.h>

#define PAGE UINT64_C(4096)

uint64_t elf_file_entry(const struct elf_file *file)
{
    return file->entry;
}

const uint8_t *elf_file_build_id(const struct elf_file *file, size_t *size)
{
    *size = file->build_id_size;
    return file->build_id_size ? file->build_id : NULL;
}

bool elf_file_is_compat(const struct elf_file *file)
{
    return file->is_compat;
}

bool elf_file_is_program(const struct elf_file *file)
{
    return file->is_program;
}

bool elf_file_unwind_header(const struct elf_file *file, uint64_t *start, uint64_t *end)
{
    if (file->unwind_start == file->unwind_end)
        return false;
    *start = file->unwind_start;
    *end = file->unwind_end;
    return true;
}

/* Returns true if OFFSET is in SEGMENT's part of the file. WHOLE_PAGES: or in the pages that it touches. */
static bool holds_offset(const struct elf_segment *segment, uint64_t offset, bool whole_pages)
{
    uint64_t start = segment->offset, end = segment->offset + segment->file_size;
    if (whole_pages && segment->file_size) {
        start -= start % PAGE;
        end = end > UINT64_MAX - PAGE ? UINT64_MAX : (end + PAGE - 1) / PAGE * PAGE;
    }
    return offset >= start && offset < end;
}

bool elf_file_vaddr_of_offset(const struct elf_file *file, uint64_t file_offset, uint64_t *vaddr)
{
    /* in this order of preference */
    static const struct {
        bool executable, whole_pages;
    } ways[] = {{true, false}, {true, true}, {false, false}, {false, true}};

    for (size_t way = 0; way < sizeof ways / sizeof *ways; way++)
        for (size_t i = 0; i < file->segment_count; i++) {
            const struct elf_segment *segment = &file->segments[i];
            if (segment->executable != ways[way].executable ||
                !holds_offset(segment, file_offset, ways[way].whole_pages))
                continue;
            *vaddr = segment->vaddr + (file_offset - segment->offset);
            return true;
        }
    return false;
}

void elf_file_text_range(const struct elf_file *file, uint64_t *start, uint64_t *end)
{
    *start = *end = 0;
    for (size_t i = 0; i < file->segment_count; i++) {
        const struct elf_segment *segment = &file->segments[i];
        if (!segment->executable)
            continue;
        if (!*end || segment->vaddr < *start)
            *start = segment->vaddr;
        if (segment->vaddr + segment->memory_size > *end)
            *end = segment->vaddr + segment->memory_size;
    }
}

bool elf_file_is_text(const struct elf_file *file, uint64_t vaddr)
{
    for (size_t i = 0; i < file->segment_count; i++)
        if (file->segments[i].executable && vaddr >= file->segments[i].vaddr &&
            vaddr - file->segments[i].vaddr < file->segments[i].memory_size)
            return true;
    return false;
}

const struct elf_segment *elf_file_segment(const struct elf_file *file, uint64_t vaddr)
{
    for (size_t i = 0; i < file->segment_count; i++)
        if (vaddr >= file->segments[i].vaddr && vaddr - file->segments[i].vaddr < file->segments[i].file_size)
            return &file->segments[i];
    return NULL;
}

bool elf_file_behind_text(const struct elf_file *file, uint64_t vaddr, uint64_t *start)
{
    const struct elf_segment *segment = elf_file_segment(file, vaddr);
    if (!segment || !segment->executable || segment->file_size != segment->memory_size)
        return false;
    *start = segment->vaddr + segment->file_size;
    return true;
}

bool elf_file_offset_of_vaddr(const struct elf_file *file, uint64_t vaddr, uint64_t *offset)
{
    const struct elf_segment *segment = elf_file_segment(file, vaddr);
    if (segment)
        *offset = segment->offset + (vaddr - segment->vaddr);
    return segment != NULL;
}

int elf_file_read(const struct elf_file *file, uint64_t vaddr, void *bytes, size_t size)
{
    const struct elf_segment *segment = elf_file_segment(file, vaddr);
    if (!segment || size > segment->file_size - (vaddr - segment->vaddr))
        return -EFAULT;
    return elf_file_read_at(file, segment->offset + (vaddr - segment->vaddr), bytes, size);
}
