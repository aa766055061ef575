/* SPDX-License-Identifier: MIT */
#include "unwind/rules.h"

#include "base/cursor.h"
#include "unwind/unwind.h"

#include <string.h>

enum {
    ALIGNMENT = 8,
    LENGTH_SIZE = 4, /* of a record's length, which does not count itself */
    ABSOLUTE_8 = 4,  /* DW_EH_PE_udata8 */
};

/* DW_CFA_nop, which is 0, up to the next multiple of 8. */
static bool pad(struct buffer *bytes)
{
    static const char zeros[ALIGNMENT];
    return buffer_append(bytes, zeros, (ALIGNMENT - bytes->length % ALIGNMENT) % ALIGNMENT);
}

static bool put_byte(struct buffer *bytes, uint8_t byte)
{
    return buffer_append(bytes, &byte, 1);
}

static bool put_leb128(struct buffer *bytes, uint64_t number)
{
    for (; number > 0x7f; number >>= 7)
        if (!put_byte(bytes, (uint8_t)(number | 0x80)))
            return false;
    return put_byte(bytes, (uint8_t)number);
}

static bool put_signed_leb128(struct buffer *bytes, int64_t number)
{
    for (; number < -0x40 || number > 0x3f; number >>= 7)
        if (!put_byte(bytes, (uint8_t)(number | 0x80)))
            return false;
    return put_byte(bytes, (uint8_t)(number & 0x7f));
}

static bool put_4(struct buffer *bytes, uint64_t number)
{
    uint32_t low = (uint32_t)number;
    return buffer_append(bytes, &low, sizeof low);
}

static bool put_8(struct buffer *bytes, uint64_t number)
{
    return buffer_append(bytes, &number, sizeof number);
}

/* What follows the code of an instruction: b a byte, h two, w four, u a LEB128 number, x a number and as many
 * bytes. By the instruction's code; NULL: not known, or tells an address, which nobody writes. */
static const char *const operands[] = {
    [0x00] = "",  [0x02] = "b",  [0x03] = "h",  [0x04] = "w",  [0x05] = "uu", [0x06] = "u",
    [0x07] = "u", [0x08] = "u",  [0x09] = "uu", [0x0a] = "",   [0x0b] = "",   [0x0c] = "uu",
    [0x0d] = "u", [0x0e] = "u",  [0x0f] = "x",  [0x10] = "ux", [0x11] = "uu", [0x12] = "uu",
    [0x13] = "u", [0x14] = "uu", [0x15] = "uu", [0x16] = "ux", [0x2e] = "u",  [0x2f] = "uu",
};

static void take_operand(struct cursor *cursor, char kind)
{
    if (kind == 'u')
        cursor_leb128(cursor);
    else if (kind == 'x')
        cursor_take(cursor, cursor_leb128(cursor));
    else
        cursor_take(cursor, kind == 'b' ? 1 : kind == 'h' ? 2 : 4);
}

/* libunwind checks all numbers of registers but one: of the register that another is kept in. Returns the instruction's
 * code; -1 for one that nobody writes. */
static int take_instruction(struct cursor *cursor)
{
    enum { KEPT_IN_REGISTER = 0x09, OFFSET = 0x80, OTHERS = 0xc0 };
    int byte = (uint8_t)cursor_number(cursor, 1);
    if (byte == KEPT_IN_REGISTER) {
        cursor_leb128(cursor);
        return cursor_leb128(cursor) > UNWIND_PC ? -1 : byte;
    }
    if (byte & OTHERS) {
        if ((byte & OTHERS) == OFFSET)
            cursor_leb128(cursor);
        return byte;
    }
    if (byte == UNWIND_RULE_SIGNS)
        return byte;
    if (byte >= (int)(sizeof operands / sizeof *operands) || !operands[byte])
        return -1;
    for (const char *kind = operands[byte]; *kind; kind++)
        take_operand(cursor, *kind);
    return byte;
}

static bool is_sound(const uint8_t *code, size_t size)
{
    struct cursor cursor = {code, code + size, false};
    while (cursor_left(&cursor))
        if (take_instruction(&cursor) < 0)
            return false;
    return !cursor.failed;
}

/* The CODE of a record, which is sound. Whether an address is signed need not be known, see unwind_plain. */
static bool put_code(struct buffer *bytes, const uint8_t *code, size_t size)
{
    struct cursor cursor = {code, code + size, false};
    while (cursor_left(&cursor)) {
        const uint8_t *start = cursor.at;
        bool done = take_instruction(&cursor) == UNWIND_RULE_SIGNS
                        ? put_byte(bytes, 0)
                        : buffer_append(bytes, start, (size_t)(cursor.at - start));
        if (!done)
            return false;
    }
    return true;
}

/* Fills the record that begins at PLACE and sets its length. */
static bool close_record(struct buffer *bytes, size_t place)
{
    uint32_t length;
    if (!pad(bytes))
        return false;
    length = (uint32_t)(bytes->length - place - LENGTH_SIZE);
    memcpy(bytes->bytes + place, &length, sizeof length);
    return true;
}

static bool put_common(struct buffer *bytes, const struct elf_unwind_common *common)
{
    const char *augmentation = common->is_signal ? "zRS" : "zR";
    size_t place = bytes->length;
    return put_4(bytes, 0) && put_4(bytes, 0) && put_byte(bytes, 1) &&
           buffer_append(bytes, augmentation, strlen(augmentation) + 1) && put_leb128(bytes, common->code_alignment) &&
           put_signed_leb128(bytes, common->data_alignment) && put_byte(bytes, UNWIND_LINK) && put_leb128(bytes, 1) &&
           put_byte(bytes, ABSOLUTE_8) && put_code(bytes, common->code, common->code_size) &&
           close_record(bytes, place);
}

static bool put_record(struct buffer *bytes, const struct elf_unwind_record *record, uint64_t start, size_t common)
{
    size_t place = bytes->length;
    return put_4(bytes, 0) && put_4(bytes, place + LENGTH_SIZE - common) && put_8(bytes, start) &&
           put_8(bytes, record->end - record->start) && put_leb128(bytes, 0) &&
           put_code(bytes, record->code, record->code_size) && close_record(bytes, place);
}

static bool write_all(struct buffer *bytes, const struct elf_unwind_found *found, uint64_t start)
{
    size_t line = bytes->length, common = line + UNWIND_RULES_LINE;
    uint32_t record;
    if (!put_8(bytes, 0) || !put_common(bytes, found->common))
        return false;
    record = (uint32_t)(bytes->length - line);
    memcpy(bytes->bytes + line + sizeof record, &record, sizeof record);
    return put_record(bytes, &found->record, start, common);
}

bool unwind_rules_write(struct buffer *bytes, const struct elf_unwind_found *found, uint64_t start)
{
    size_t length = bytes->length;
    if (found->common->return_register == UNWIND_LINK && is_sound(found->common->code, found->common->code_size) &&
        is_sound(found->record.code, found->record.code_size) && write_all(bytes, found, start))
        return true;
    bytes->length = length;
    return false;
}
