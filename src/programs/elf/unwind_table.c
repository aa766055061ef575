/* SPDX-License-Identifier: MIT */
#include "programs/elf/unwind_table.h"

#include "common/base/cursor.h"

enum { LINE_ENCODING = 0x3b }; /* 4 bytes, signed, relative to the header */

struct table {
    const uint8_t *bytes;
    size_t size;
    uint64_t vaddr;
    enum elf_unwind_format format;
    bool compat;
    /* the common record that was read last; nearly always also the next one's */
    uint64_t common_offset;
    bool common_found;
    struct elf_cie common;
};

/* Returns the common record at OFFSET, or NULL. */
static const struct elf_cie *find_common(struct table *table, uint64_t offset)
{
    struct cursor cursor = {.at = table->bytes, .end = table->bytes + table->size}, record;
    if (offset != table->common_offset) {
        table->common_offset = offset;
        cursor_take(&cursor, offset);
        table->common_found = elf_unwind_open(&cursor, &record) &&
                              elf_unwind_read_common(record, table->format, table->compat, &table->common);
    }
    return table->common_found ? &table->common : NULL;
}

static bool read_record(struct table *table, struct cursor *cursor, struct elf_fde *record)
{
    uint64_t here = (uint64_t)(cursor->at - table->bytes), offset;
    const struct elf_cie *common;
    return elf_unwind_refers(cursor, table->format, here, &offset) && (common = find_common(table, offset)) != NULL &&
           elf_unwind_read_record(cursor, common, table->vaddr + (uint64_t)(cursor->at - table->bytes), record);
}

bool elf_unwind_table_walk(const uint8_t *bytes, size_t size, uint64_t vaddr, enum elf_unwind_format format,
                           bool compat, elf_unwind_visit *visit, void *owner)
{
    struct table table = {
        .bytes = bytes, .size = size, .vaddr = vaddr, .format = format, .compat = compat, .common_offset = UINT64_MAX};
    struct cursor all = {.at = bytes, .end = bytes + size}, cursor;
    struct elf_fde record;
    uint64_t offset = 0;
    while (offset < size && elf_unwind_open(&all, &cursor)) {
        if (read_record(&table, &cursor, &record) && !visit(owner, record.start, record.end, offset))
            return false;
        offset = (uint64_t)(all.at - bytes);
    }
    return true;
}

/* Moves CURSOR, which is at VADDR, past the beginning of the header. */
static bool read_start(struct cursor *cursor, uint64_t vaddr, uint8_t *count_encoding, uint8_t *line_encoding,
                       uint64_t *start)
{
    uint64_t version = cursor_number(cursor, 1);
    uint8_t encoding = (uint8_t)cursor_number(cursor, 1);
    *count_encoding = (uint8_t)cursor_number(cursor, 1);
    *line_encoding = (uint8_t)cursor_number(cursor, 1);
    return !cursor->failed && version == 1 && elf_unwind_read_pointer(cursor, encoding, vaddr + 4, start);
}

bool elf_unwind_table_start(const uint8_t *bytes, size_t size, uint64_t vaddr, uint64_t *start)
{
    struct cursor cursor = {.at = bytes, .end = bytes + size};
    uint8_t count_encoding, line_encoding;
    uint64_t found;
    if (!read_start(&cursor, vaddr, &count_encoding, &line_encoding, &found))
        return false;
    *start = found;
    return true;
}

size_t elf_unwind_table_lines(const uint8_t *bytes, size_t size, size_t *count)
{
    struct cursor cursor = {.at = bytes, .end = bytes + size};
    uint8_t count_encoding, line_encoding;
    uint64_t start, lines;
    if (!read_start(&cursor, 0, &count_encoding, &line_encoding, &start) || line_encoding != LINE_ENCODING ||
        !elf_unwind_read_pointer(&cursor, count_encoding, 0, &lines) || !lines ||
        lines > cursor_left(&cursor) / sizeof(struct elf_unwind_line))
        return 0;
    *count = (size_t)lines;
    return (size_t)(cursor.at - bytes);
}
