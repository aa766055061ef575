/* SPDX-License-Identifier: MIT */
#include "programs/interp/python_lines.h"

#include <stdbool.h>

/* Returns LINE, or 0 if it is not a line number. It comes from an untrusted table. */
static uint32_t as_line(int64_t line)
{
    return line > 0 && line <= INT32_MAX ? (uint32_t)line : 0;
}

uint32_t python_lines_8(uint32_t first_line, const unsigned char *table, size_t size, uint64_t offset)
{
    int64_t line = first_line;
    uint64_t at = 0;
    for (size_t i = 0; i + 1 < size; i += 2) {
        at += table[i];
        if (at > offset)
            break;
        line += (signed char)table[i + 1];
    }
    return as_line(line);
}

uint32_t python_lines_10(uint32_t first_line, const unsigned char *table, size_t size, uint64_t offset)
{
    enum { NO_LINE = -128 };
    int64_t line = first_line;
    uint64_t at = 0;
    for (size_t i = 0; i + 1 < size; i += 2) {
        int delta = (signed char)table[i + 1];
        if (delta != NO_LINE)
            line += delta;
        at += table[i];
        if (at > offset)
            return delta == NO_LINE ? 0 : as_line(line);
    }
    return 0;
}

/* Reads a number that is stored in groups of six bits, the lowest first. Bit 6 is set in each byte but the last. */
static uint64_t read_number(const unsigned char *table, size_t size, size_t *at)
{
    enum { MORE = 0x40, BITS = 0x3f, BITS_MOST = 36 };
    uint64_t number = 0;
    unsigned shift = 0;
    while (*at < size) {
        unsigned char byte = table[(*at)++];
        if (shift < BITS_MOST)
            number |= (uint64_t)(byte & BITS) << shift;
        shift += 6;
        if (!(byte & MORE))
            break;
    }
    return number;
}

static int64_t read_signed(const unsigned char *table, size_t size, size_t *at)
{
    uint64_t number = read_number(table, size, at);
    return number & 1 ? -(int64_t)(number >> 1) : (int64_t)(number >> 1);
}

/* Returns the offset of the next entry. Bit 7 is set in the first byte of an entry only. */
static size_t next_entry(const unsigned char *table, size_t size, size_t at)
{
    while (at < size && !(table[at] & 0x80))
        at++;
    return at;
}

uint32_t python_lines_11(uint32_t first_line, const unsigned char *table, size_t size, uint64_t offset)
{
    enum { KIND_SHORT_MOST = 9, KIND_ONE_LINE_0 = 10, KIND_NO_COLUMNS = 13, KIND_LONG = 14, KIND_NONE = 15, UNIT = 2 };
    int64_t line = first_line;
    uint64_t end = 0;
    for (size_t at = next_entry(table, size, 0); at < size; at = next_entry(table, size, at)) {
        unsigned char byte = table[at++];
        unsigned kind = byte >> 3 & 15;
        end += (uint64_t)((byte & 7) + 1) * UNIT;
        if (kind == KIND_LONG || kind == KIND_NO_COLUMNS)
            line += read_signed(table, size, &at);
        else if (kind >= KIND_ONE_LINE_0 && kind < KIND_NO_COLUMNS)
            line += kind - KIND_ONE_LINE_0;
        if (offset < end)
            return kind == KIND_NONE ? 0 : as_line(line);
    }
    return 0;
}
