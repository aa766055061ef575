/* SPDX-License-Identifier: MIT */
#include "common/arch/x86_64/parts.h"

#include <string.h>

static uint8_t take(struct parts *parts)
{
    if (parts->at < parts->end)
        return *parts->at++;
    parts->failed = true;
    return 0;
}

/* A number of SIZE bytes, signed. */
static int64_t take_number(struct parts *parts, unsigned size)
{
    uint64_t number = 0;
    for (unsigned i = 0; i < size; i++)
        number |= (uint64_t)take(parts) << 8 * i;
    return size && size < 8 ? (int64_t)(number << (64 - 8 * size)) >> (64 - 8 * size) : (int64_t)number;
}

bool parts_is_one_of(uint8_t byte, const char *list, size_t count)
{
    return memchr(list, byte, count) != NULL;
}

static void take_prefixes(struct parts *parts)
{
    uint8_t byte = take(parts);
    while (IS_ONE_OF(byte, "\x66\x67\xf2\xf3\xf0\x2e\x36\x3e\x26\x64\x65") && !parts->failed) {
        parts->compat |= byte == 0x66;
        parts->short_address |= byte == 0x67;
        parts->repeats |= byte == 0xf2 || byte == 0xf3;
        byte = take(parts);
    }
    if ((byte & 0xf0) == 0x40 && !parts->is_32bit) {
        parts->wide = byte & 8;
        parts->high_reg = byte & 4 ? 8 : 0;
        parts->high_index = byte & 2;
        parts->high_rm = byte & 1 ? 8 : 0;
        byte = take(parts);
    }
    parts->opcode = byte;
}

/* After the byte that begins it. */
static void take_vector_prefix(struct parts *parts)
{
    uint8_t first = take(parts);
    parts->vector = true;
    parts->map = parts->opcode == 0xc5 ? 1 : first & 7;
    if (parts->opcode != 0xc5)
        take(parts);
    if (parts->opcode == 0x62)
        take(parts);
    parts->opcode = take(parts);
    parts->failed |= !parts->map || parts->map > 3;
}

static void take_opcode(struct parts *parts)
{
    take_prefixes(parts);
    /* in a 32-bit program these bytes are les, lds or bound, unless 0xc0 or more follows */
    bool vector = !parts->is_32bit || (parts->at < parts->end && *parts->at >= 0xc0);
    if (IS_ONE_OF(parts->opcode, "\xc4\xc5\x62") && vector) {
        take_vector_prefix(parts);
        return;
    }
    if (parts->opcode != 0x0f)
        return;
    parts->opcode = take(parts);
    parts->map = parts->opcode == 0x38 ? 2 : parts->opcode == 0x3a ? 3 : 1;
    if (parts->map > 1)
        parts->opcode = take(parts);
}

/* True for opcodes that are invalid in 64-bit mode; no compiler makes them for 32-bit programs either. */
static bool is_gone(const struct parts *parts)
{
    return !parts->map && !parts->vector &&
           IS_ONE_OF(parts->opcode,
                     "\x06\x07\x0e\x16\x17\x1e\x1f\x27\x2f\x37\x3f\x60\x61\x62\x82\x9a\xc4\xc5\xce\xd4\xd5\xd6\xea");
}

static bool has_operand(const struct parts *parts)
{
    uint8_t opcode = parts->opcode;
    if (parts->vector)
        return parts->map != 1 || opcode != 0x77;
    if (parts->map == 1)
        return !(IS_ONE_OF(opcode, "\x05\x06\x08\x09\x0b\x0e\x77\xa0\xa1\xa2\xa8\xa9\xaa") || (opcode & 0xf8) == 0x30 ||
                 (opcode & 0xf0) == 0x80 || (opcode & 0xf8) == 0xc8);
    if (parts->map)
        return true;
    if (opcode < 0x40)
        return (opcode & 7) < 4;
    return opcode == 0x63 || opcode == 0x69 || opcode == 0x6b || (opcode >= 0x80 && opcode <= 0x8f) ||
           IS_ONE_OF(opcode, "\xc0\xc1\xc6\xc7\xd0\xd1\xd2\xd3\xf6\xf7\xfe\xff") || (opcode & 0xf8) == 0xd8;
}

static void take_operand(struct parts *parts)
{
    uint8_t byte = take(parts), low = byte & 7;
    bool has_index = false;
    parts->mode = byte >> 6;
    parts->reg = (byte >> 3 & 7) | parts->high_reg;
    parts->rm = low | parts->high_rm;
    if (parts->mode == 3)
        return;
    if (low == 4) {
        byte = take(parts);
        low = byte & 7;
        has_index = (byte >> 3 & 7) != 4 || parts->high_index;
    }
    bool has_base = parts->mode || low != 5;
    if (has_base && !has_index)
        parts->base = (int)(low | parts->high_rm);
    parts->base_is_sp = parts->base == 4;
    if (!has_base)
        parts->displacement = take_number(parts, 4);
    else
        parts->displacement = take_number(parts, parts->mode == 1 ? 1 : parts->mode == 2 ? 4 : 0);
}

/* The size of the number that an instruction without a second map of opcodes ends with. */
static unsigned immediate_size(const struct parts *parts)
{
    uint8_t opcode = parts->opcode;
    unsigned word = parts->compat ? 2 : 4;
    if (opcode < 0x40)
        return (opcode & 7) == 4 ? 1 : (opcode & 7) == 5 ? word : 0;
    if ((opcode & 0xf0) == 0x70 || (opcode & 0xf8) == 0xb0 || (opcode >= 0xe0 && opcode <= 0xe7) ||
        IS_ONE_OF(opcode, "\x6a\x6b\x80\x83\xa8\xc0\xc1\xc6\xcd\xeb"))
        return 1;
    if (IS_ONE_OF(opcode, "\x68\x69\x81\xa9\xc7"))
        return word;
    if (opcode == 0xe8 || opcode == 0xe9)
        return 4;
    if ((opcode & 0xf8) == 0xb8)
        return parts->wide ? 8 : word;
    if ((opcode & 0xfc) == 0xa0)
        return parts->is_32bit ? 4 : 8;
    if (opcode == 0xc2 || opcode == 0xca)
        return 2;
    if ((opcode == 0xf6 || opcode == 0xf7) && (parts->reg & 7) < 2)
        return opcode == 0xf6 ? 1 : word;
    return 0;
}

static void take_immediate(struct parts *parts)
{
    unsigned size = 0;
    if (!parts->map)
        size = immediate_size(parts);
    else if (parts->map == 3)
        size = 1;
    else if (parts->map == 1 && !parts->vector && (parts->opcode & 0xf0) == 0x80)
        size = 4;
    else if (parts->map == 1)
        size = IS_ONE_OF(parts->opcode, "\x70\x71\x72\x73\xa4\xac\xba\xc2\xc4\xc5\xc6");
    parts->immediate = take_number(parts, size);
}

bool parts_take(struct parts *parts, const uint8_t *code, size_t size, bool compat)
{
    *parts = (struct parts){.at = code, .end = code + size, .is_32bit = compat, .base = PARTS_NO_REGISTER};
    take_opcode(parts);
    parts->failed |= is_gone(parts) || (compat && parts->short_address);
    if (has_operand(parts))
        take_operand(parts);
    take_immediate(parts);
    return !parts->failed;
}
