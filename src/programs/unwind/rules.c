/* SPDX-License-Identifier: MIT */
#include "programs/unwind/rules.h"

#include "common/base/buffer.h"
#include "common/base/cursor.h"
#include "programs/elf/unwind_index.h"
#include "programs/elf/unwind_record.h"
#include "programs/unwind/unwind.h"

#include <string.h>

enum {
    ALIGNMENT = 8,
    LENGTH_SIZE = 4, /* of a record's length, which does not count itself */
    ABSOLUTE_8 = 4,  /* DW_EH_PE_udata8 */
};

/* Appends DW_CFA_nop, which is 0, up to the next multiple of 8. */
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

/* Pads the record that begins at PLACE, and sets its length. */
static bool close_record(struct buffer *bytes, size_t place)
{
    uint32_t length;
    if (!pad(bytes))
        return false;
    length = (uint32_t)(bytes->length - place - LENGTH_SIZE);
    memcpy(bytes->bytes + place, &length, sizeof length);
    return true;
}

/* The operands of each instruction, by its code: b is a byte, h two bytes, w four bytes, u a LEB128 number, r a
 * register number in LEB128, x a LEB128 length and an expression. NULL: unknown, or an instruction with an address,
 * which no compiler writes. */
static const char *const operands[] = {
    [0x00] = "",  [0x02] = "b",  [0x03] = "h",  [0x04] = "w",  [0x05] = "ru", [0x06] = "r",
    [0x07] = "r", [0x08] = "r",  [0x09] = "rr", [0x0a] = "",   [0x0b] = "",   [0x0c] = "ru",
    [0x0d] = "r", [0x0e] = "u",  [0x0f] = "x",  [0x10] = "rx", [0x11] = "ru", [0x12] = "ru",
    [0x13] = "u", [0x14] = "ru", [0x15] = "ru", [0x16] = "rx", [0x2e] = "u",  [0x2f] = "ru",
};

/* Reads instructions in the written bytes. Changes the register numbers of a 32-bit program to the numbers used
 * here. */
struct going {
    struct cursor cursor;
    uint8_t *code; /* where the cursor began */
    const uint8_t *start;
    bool compat;
};

/* Returns the byte that the cursor has just passed. */
static uint8_t *last_byte(const struct going *going)
{
    return going->code + (going->cursor.at - going->start) - 1;
}

/* Changes the register number in the low bits (MASK) of the last byte to the number used here. */
static void renumber(struct going *going, uint8_t mask, uint8_t base)
{
    uint8_t *byte = last_byte(going);
    int number = unwind_compat_register((uint64_t)((*byte - base) & mask));
    if (!going->compat)
        return;
    if (number < 0)
        going->cursor.failed = true;
    else
        *byte = (uint8_t)(base + number);
}

static uint64_t convert_register(struct going *going)
{
    const uint8_t *before = going->cursor.at;
    uint64_t number = cursor_leb128(&going->cursor);
    if (!going->compat || going->cursor.failed)
        return number;
    going->cursor.failed |= going->cursor.at - before != 1;
    if (!going->cursor.failed)
        renumber(going, 0x7f, 0);
    return 0;
}

/* Skips a number of KIND. */
static void skip_number(struct cursor *cursor, char kind)
{
    if (kind == 'u')
        cursor_leb128(cursor);
    else if (kind)
        cursor_take(cursor, kind == 'b' ? 1 : kind == 'h' ? 2 : 4);
}

/* The operations in expressions of 32-bit programs, with the kind of their operands. */
static const struct operation {
    uint8_t first, last;
    char kind; /* see skip_number; 0: no operand */
    bool has_register;
} operations[] = {
    {0x06, 0x06, 0, false},   /* DW_OP_deref */
    {0x08, 0x09, 'b', false}, /* const1u, const1s */
    {0x0a, 0x0b, 'h', false}, /* const2u, const2s */
    {0x0c, 0x0d, 'w', false}, /* const4u, const4s */
    {0x12, 0x14, 0, false},   /* dup, drop, over */
    {0x1a, 0x22, 0, false},   /* and, div, minus, mod, mul, neg, not, or, plus */
    {0x23, 0x23, 'u', false}, /* plus_uconst */
    {0x24, 0x27, 0, false},   /* shl, shr, shra, xor */
    {0x29, 0x2e, 0, false},   /* eq, ge, gt, le, lt, ne */
    {0x30, 0x4f, 0, false},   /* lit0 to lit31 */
    {0x70, 0x8f, 'u', true},  /* breg0 to breg31 */
};

static void convert_operation(struct going *going)
{
    uint8_t code = (uint8_t)cursor_number(&going->cursor, 1);
    const struct operation *operation = operations, *end = operations + sizeof operations / sizeof *operations;
    while (operation < end && !(code >= operation->first && code <= operation->last))
        operation++;
    if (operation == end) {
        going->cursor.failed = true;
        return;
    }
    if (operation->has_register)
        renumber(going, 0x1f, operation->first);
    skip_number(&going->cursor, operation->kind);
}

static void convert_expression(struct going *going)
{
    struct cursor *cursor = &going->cursor;
    uint64_t size = cursor_leb128(cursor);
    const uint8_t *start = cursor->at;
    if (!going->compat || size > cursor_left(cursor)) {
        cursor_take(cursor, size);
        return;
    }
    while (!cursor->failed && (uint64_t)(cursor->at - start) < size)
        convert_operation(going);
    cursor->failed |= (uint64_t)(cursor->at - start) != size;
}

static void convert_operand(struct going *going, char kind)
{
    if (kind == 'x')
        convert_expression(going);
    else
        skip_number(&going->cursor, kind);
}

static void convert_instruction(struct going *going)
{
    enum { KEPT_IN_REGISTER = 0x09, OFFSET = 0x80, RESTORE = 0xc0, OTHERS = 0xc0, LOW = 0x3f };
    struct cursor *cursor = &going->cursor;
    int byte = (uint8_t)cursor_number(cursor, 1);
    if (byte & OTHERS) {
        uint8_t kind = (uint8_t)(byte & OTHERS);
        if (kind == OFFSET || kind == RESTORE)
            renumber(going, LOW, kind);
        if (kind == OFFSET)
            cursor_leb128(cursor);
        return;
    }
    if (byte == UNWIND_RULE_SIGNS) { /* unwind_plain works without knowing whether an address is signed */
        *last_byte(going) = 0;
        return;
    }
    const char *kind = byte < (int)(sizeof operands / sizeof *operands) ? operands[byte] : NULL;
    cursor->failed |= !kind;
    for (uint64_t number = 0; kind && *kind; kind++) {
        if (*kind != 'r')
            convert_operand(going, *kind);
        else
            number = convert_register(going);
        /* libunwind checks all register numbers except one: the register that holds another register's value */
        cursor->failed |= byte == KEPT_IN_REGISTER && number > UNWIND_PC && !kind[1];
    }
}

/* Checks SIZE bytes of CODE, written for libunwind, and renumbers the registers of a 32-bit program. Returns false if
 * the code is broken or unknown. */
static bool adapt(uint8_t *code, size_t size, bool compat)
{
    struct going going = {.cursor = {code, code + size, false}, .code = code, .start = code, .compat = compat};
    while (cursor_left(&going.cursor) && !going.cursor.failed)
        convert_instruction(&going);
    return !going.cursor.failed;
}

static bool put_code(struct buffer *bytes, const uint8_t *code, size_t size, bool compat)
{
    size_t place = bytes->length;
    return buffer_append(bytes, code, size) && adapt((uint8_t *)bytes->bytes + place, size, compat);
}

static bool put_common(struct buffer *bytes, const struct elf_cie *common)
{
    const char *augmentation = common->is_signal ? "zRS" : "zR";
    size_t place = bytes->length;
    return put_4(bytes, 0) && put_4(bytes, 0) && put_byte(bytes, 1) &&
           buffer_append(bytes, augmentation, strlen(augmentation) + 1) && put_leb128(bytes, common->code_alignment) &&
           put_signed_leb128(bytes, common->data_alignment) && put_byte(bytes, UNWIND_LINK) && put_leb128(bytes, 1) &&
           put_byte(bytes, ABSOLUTE_8) && put_code(bytes, common->code, common->code_size, common->is_compat) &&
           close_record(bytes, place);
}

static bool put_record(struct buffer *bytes, const struct elf_fde *record, uint64_t start, size_t common, bool compat)
{
    size_t place = bytes->length;
    return put_4(bytes, 0) && put_4(bytes, place + LENGTH_SIZE - common) && put_8(bytes, start) &&
           put_8(bytes, record->end - record->start) && put_leb128(bytes, 0) &&
           put_code(bytes, record->code, record->code_size, compat) && close_record(bytes, place);
}

static bool write_all(struct buffer *bytes, const struct elf_unwind_found *found, uint64_t start)
{
    size_t line = bytes->length, common = line + UNWIND_RULES_LINE;
    uint32_t record;
    if (!put_8(bytes, 0) || !put_common(bytes, found->common))
        return false;
    record = (uint32_t)(bytes->length - line);
    memcpy(bytes->bytes + line + sizeof record, &record, sizeof record);
    return put_record(bytes, &found->record, start, common, found->common->is_compat);
}

static int return_register(const struct elf_cie *common)
{
    if (common->is_compat)
        return unwind_compat_register(common->return_register);
    return common->return_register == UNWIND_LINK ? UNWIND_LINK : -1;
}

bool unwind_rules_write(struct buffer *bytes, const struct elf_unwind_found *found, uint64_t start)
{
    size_t length = bytes->length;
    if (return_register(found->common) == UNWIND_LINK && write_all(bytes, found, start))
        return true;
    bytes->length = length;
    return false;
}
