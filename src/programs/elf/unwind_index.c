/* SPDX-License-Identifier: MIT */
#include "programs/elf/unwind_index.h"

#include "common/base/array.h"
#include "common/base/cursor.h"
#include "common/base/search.h"
#include "programs/elf/file.h"
#include "programs/elf/image.h"
#include "programs/elf/sections.h"
#include "programs/elf/table.h"
#include "programs/elf/unwind_place.h"
#include "programs/elf/unwind_table.h"

#include <stdlib.h>
#include <string.h>

#define RECORD_USUAL 256       /* bytes of a record that are read at once; most records are shorter */
#define RECORD_MAX (64 * 1024) /* no function of a compiler needs as much */
#define HEADER_MAX (32 * 1024 * 1024)

struct line {
    uint64_t start;  /* ELF virtual address */
    uint64_t offset; /* offset of the record in its table */
};

struct table {
    enum elf_unwind_format format;
    bool is_read;
    uint64_t place; /* ELF virtual address; 0 for .debug_frame */
    size_t size;
    uint8_t *image;     /* for .debug_frame, which may have been compressed; or NULL */
    struct line *items; /* sorted by start */
    size_t count, room;
};

/* A record as stored in the file. */
struct bytes {
    uint8_t *bytes;
    size_t room;
};

struct elf_unwind_index {
    const struct elf_file *file;
    elf_unwind_unpack *unpack;
    uint64_t *room, taken;  /* see elf_unwind_index_new; NULL: no limit */
    struct table tables[2]; /* by elf_unwind_format, in the order of lookup */
    struct bytes record_bytes, common_bytes;
    /* the common record that was read last */
    struct elf_cie common;
    enum elf_unwind_format common_format;
    uint64_t common_offset; /* UINT64_MAX: none */
    bool is_go;             /* the Go linker made the file: Go code is in .debug_frame, C code in .eh_frame */
    bool found_go;          /* the last lookup found a record of Go code, or none */
    struct elf_go_ends go_ends;
};

/* Reads bytes of TABLE. */
static bool read_at(const struct elf_unwind_index *index, const struct table *table, uint64_t offset, void *bytes,
                    size_t size)
{
    if (!table->image)
        return elf_file_read(index->file, table->place + offset, bytes, size) == 0;
    memcpy(bytes, table->image + offset, size);
    return true;
}

/* Adds a line. Of lines with the same start, only the last counts, since a hole in the file can contain any number of
 * them. */
static bool add_line(struct table *table, struct line line)
{
    bool again = table->count && table->items[table->count - 1].start == line.start;
    if (!again && !ARRAY_RESERVE_ONE(table))
        return false;
    table->count -= again;
    table->items[table->count++] = line;
    return true;
}

struct collector {
    const struct elf_file *file;
    struct table *table;
};

static bool collect(void *owner, uint64_t start, uint64_t end, uint64_t offset)
{
    struct collector *collector = owner;
    struct table *table = collector->table;
    (void)end;
    if (!elf_file_is_text(collector->file, start))
        return true; /* the linker has dropped the function */
    return add_line(table, (struct line){start, offset});
}

static int compare_lines(const void *a, const void *b)
{
    const struct line *one = a, *other = b;
    return (one->start > other->start) - (one->start < other->start);
}

static void sort_lines(struct table *table)
{
    for (size_t i = 1; i < table->count; i++)
        if (table->items[i].start < table->items[i - 1].start) {
            qsort(table->items, table->count, sizeof *table->items, compare_lines);
            return;
        }
}

/* Walks through all of TABLE, which is at BYTES. */
static void walk(const struct elf_unwind_index *index, struct table *table, const uint8_t *bytes)
{
    struct collector collector = {.file = index->file, .table = table};
    elf_unwind_table_walk(bytes, table->size, table->place, table->format, elf_file_is_compat(index->file), collect,
                          &collector);
    sort_lines(table);
}

static void add_lines(struct table *table, const uint8_t *lines, size_t count, uint64_t header)
{
    struct elf_unwind_line line;
    bool taken = true;
    for (size_t i = 0; i < count && taken; i++) {
        memcpy(&line, lines + i * sizeof line, sizeof line);
        uint64_t offset = header + (uint64_t)(int64_t)line.record - table->place;
        if (offset < table->size)
            taken = add_line(table, (struct line){header + (uint64_t)(int64_t)line.start, offset});
    }
    sort_lines(table);
}

/* Takes the lines of .eh_frame_hdr's search table. Returns false if it has none. */
static bool read_header(const struct elf_unwind_index *index, struct table *table)
{
    uint64_t start, end;
    size_t count, offset;
    uint8_t *bytes;
    if (!elf_file_unwind_header(index->file, &start, &end) || end - start > HEADER_MAX ||
        !(bytes = malloc((size_t)(end - start))))
        return false;
    if (elf_file_read(index->file, start, bytes, (size_t)(end - start)) == 0 &&
        (offset = elf_unwind_table_lines(bytes, (size_t)(end - start), &count)) != 0)
        add_lines(table, bytes + offset, count, start);
    free(bytes);
    return table->count != 0;
}

/* Reads all of .eh_frame, which is at PLACE. */
static void read_all(const struct elf_unwind_index *index, struct table *table, const struct elf_unwind_place *place)
{
    size_t size = (size_t)(place->end - place->start);
    uint8_t *bytes = malloc(size);
    table->place = place->start;
    table->size = size;
    if (bytes && read_at(index, table, 0, bytes, size))
        walk(index, table, bytes);
    free(bytes);
}

static void read_eh_frame(struct elf_unwind_index *index, struct table *table)
{
    struct elf_unwind_place place = {0};
    struct elf_sections sections;
    bool is_there = elf_unwind_place(index->file, NULL, &place);
    table->place = place.start;
    table->size = place.end - place.start;
    if (is_there && read_header(index, table))
        return;
    if (elf_sections_open(&sections, index->file, NULL) < 0)
        return;
    is_there = elf_unwind_place(index->file, &sections, &place);
    elf_sections_close(&sections);
    if (!is_there)
        return;
    read_all(index, table, &place);
}

/* Returns the bytes of section NUMBER, and their number in *SIZE. */
static uint8_t *bytes_of(const struct elf_unwind_index *index, const struct elf_sections *sections, size_t number,
                         size_t *size)
{
    Elf64_Shdr header;
    const struct elf_data *data = elf_sections_data(sections, number, ELF_UNWIND_TABLE_MAX);
    bool is_packed = elf_sections_header(sections, number, &header) && header.sh_flags & SHF_COMPRESSED;
    if (is_packed && index->unpack && index->file->fd >= 0)
        return index->unpack(index->file->fd, ELF_UNWIND_TABLE_MAX, size);
    uint8_t *copy = data ? malloc(data->size) : NULL;
    if (copy)
        memcpy(copy, data->bytes, data->size);
    *size = data ? data->size : 0;
    return copy;
}

static void read_debug_frame(struct elf_unwind_index *index, struct table *table)
{
    struct elf_sections sections;
    if (elf_sections_open(&sections, index->file, NULL) < 0)
        return;
    index->is_go = elf_sections_find(&sections, 0, ".go.buildinfo") != 0;
    elf_go_table_ends(&sections, index->file, &index->go_ends);
    table->image = bytes_of(index, &sections, elf_sections_find(&sections, 0, ".debug_frame"), &table->size);
    if (table->image)
        walk(index, table, table->image);
    elf_sections_close(&sections);
}

/* Reads the record at OFFSET of TABLE into BYTES. Sets RECORD to the bytes after its length. */
static bool read_record(const struct elf_unwind_index *index, const struct table *table, uint64_t offset,
                        struct bytes *bytes, struct cursor *record)
{
    uint64_t left = offset < table->size ? table->size - offset : 0, wanted = RECORD_USUAL;
    for (int attempt = 0; attempt < 2; attempt++) {
        size_t size = (size_t)(left < wanted ? left : wanted);
        uint8_t *block = size > bytes->room ? array_grow(bytes->bytes, &bytes->room, size, 1) : bytes->bytes;
        if (!block)
            return false;
        bytes->bytes = block;
        if (!read_at(index, table, offset, block, size))
            return false;
        struct cursor cursor = {.at = block, .end = block + size}, length = cursor;
        if (elf_unwind_open(&cursor, record))
            return true;
        wanted = cursor_number(&length, 4) + 4;
        if (length.failed || wanted <= size || wanted > left || wanted > RECORD_MAX)
            return false;
    }
    return false;
}

static bool read_common(struct elf_unwind_index *index, const struct table *table, uint64_t offset)
{
    struct cursor record;
    if (index->common_offset == offset && index->common_format == table->format)
        return true;
    index->common_offset = UINT64_MAX;
    if (!read_record(index, table, offset, &index->common_bytes, &record) ||
        !elf_unwind_read_common(record, table->format, elf_file_is_compat(index->file), &index->common))
        return false;
    index->common_offset = offset;
    index->common_format = table->format;
    return true;
}

static bool find_in(struct elf_unwind_index *index, const struct table *table, uint64_t vaddr,
                    struct elf_unwind_found *found)
{
    size_t count = SEARCH_UP_TO(table->items, table->count, start, vaddr);
    uint64_t offset, here, common;
    struct cursor cursor;
    if (!count)
        return false;
    offset = table->items[count - 1].offset;
    if (!read_record(index, table, offset, &index->record_bytes, &cursor))
        return false;
    here = offset + (uint64_t)(cursor.at - index->record_bytes.bytes);
    if (!elf_unwind_refers(&cursor, table->format, here, &common) || !read_common(index, table, common))
        return false;
    here = table->place + offset + (uint64_t)(cursor.at - index->record_bytes.bytes);
    found->common = &index->common;
    found->key = offset * 2 + table->format;
    return elf_unwind_read_record(&cursor, &index->common, here, &found->record) && vaddr >= found->record.start &&
           vaddr < found->record.end;
}

struct elf_unwind_index *elf_unwind_index_new(const struct elf_file *file, elf_unwind_unpack *unpack, uint64_t *room)
{
    struct elf_unwind_index *index = calloc(1, sizeof *index);
    if (!index)
        return NULL;
    index->file = file;
    index->unpack = unpack;
    index->room = room;
    index->tables[ELF_UNWIND_EH_FRAME].format = ELF_UNWIND_EH_FRAME;
    index->tables[ELF_UNWIND_DEBUG_FRAME].format = ELF_UNWIND_DEBUG_FRAME;
    index->common_offset = UINT64_MAX;
    return index;
}

uint64_t elf_unwind_index_bytes(const struct elf_unwind_index *index)
{
    return index->taken;
}

static void drop(struct table *table)
{
    free(table->items);
    free(table->image);
    table->items = NULL;
    table->image = NULL;
    table->count = table->room = 0;
}

void elf_unwind_index_free(struct elf_unwind_index *index)
{
    if (!index)
        return;
    for (size_t i = 0; i < sizeof index->tables / sizeof *index->tables; i++)
        drop(&index->tables[i]);
    if (index->room)
        *index->room += index->taken;
    free(index->record_bytes.bytes);
    free(index->common_bytes.bytes);
    free(index);
}

/* Keeps TABLE, unless it is empty or too large for the room left. */
static void keep_table(struct elf_unwind_index *index, struct table *table)
{
    struct line *shrunk = table->count ? realloc(table->items, table->count * sizeof *table->items) : NULL;
    uint64_t bytes = table->count * sizeof *table->items + (table->image ? table->size : 0);
    if (shrunk) {
        table->items = shrunk;
        table->room = table->count;
    }
    if (!table->count || (index->room && *index->room < bytes)) {
        drop(table);
        return;
    }
    if (index->room)
        *index->room -= bytes;
    index->taken += bytes;
}

bool elf_unwind_index_find(struct elf_unwind_index *index, uint64_t vaddr, struct elf_unwind_found *found)
{
    static void (*const readers[])(struct elf_unwind_index *, struct table *) = {
        [ELF_UNWIND_EH_FRAME] = read_eh_frame,
        [ELF_UNWIND_DEBUG_FRAME] = read_debug_frame,
    };
    index->found_go = false;
    for (size_t i = 0; i < sizeof index->tables / sizeof *index->tables; i++) {
        struct table *table = &index->tables[i];
        if (!table->is_read) {
            readers[i](index, table);
            keep_table(index, table);
        }
        table->is_read = true;
        index->found_go = index->is_go && i == ELF_UNWIND_DEBUG_FRAME;
        if (find_in(index, table, vaddr, found))
            return true;
    }
    return false;
}

enum elf_go_code elf_unwind_index_go(const struct elf_unwind_index *index, uint64_t vaddr)
{
    if (!index->found_go)
        return ELF_GO_NONE;
    for (size_t i = 0; i < index->go_ends.count; i++) {
        const struct elf_go_end *end = &index->go_ends.items[i];
        if (vaddr >= end->start && vaddr < end->end)
            return end->begins_thread ? ELF_GO_THREAD : ELF_GO_LAST;
    }
    return ELF_GO_CALLED;
}
