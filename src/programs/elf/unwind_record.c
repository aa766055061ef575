/* SPDX-License-Identifier: MIT */
#include "programs/elf/unwind_record.h"

#include "common/base/cursor.h"

#include <string.h>

/* Encoding of a pointer (DW_EH_PE_): the format in the low half, and the base in the high half. */
enum {
    FORMAT_MASK = 0x0f,
    FORMAT_SIZE_MASK = 0x07,
    FORMAT_ABSOLUTE = 0x00,
    FORMAT_UNSIGNED_2 = 0x02,
    FORMAT_UNSIGNED_4 = 0x03,
    FORMAT_UNSIGNED_8 = 0x04,
    FORMAT_SIGNED_2 = 0x0a,
    FORMAT_SIGNED_4 = 0x0b,
    FORMAT_SIGNED_8 = 0x0c,
    BASE_MASK = 0xf0,
    BASE_ABSOLUTE = 0x00,
    BASE_HERE = 0x10,
    BASE_ALIGNED = 0x50,     /* aligned to 8 bytes; no compiler writes it */
    ENCODING_UNKNOWN = 0xff, /* equals the standard's value for "omitted" */
};

/* "zPLRSB" in some order. Without a limit, many records could make us read one long string many times. */
#define AUGMENTATION_MAX 64

static bool read_number(struct cursor *cursor, uint8_t format, uint64_t *number)
{
    switch (format) {
    case FORMAT_ABSOLUTE:
    case FORMAT_UNSIGNED_8:
    case FORMAT_SIGNED_8:
        *number = cursor_number(cursor, 8);
        break;
    case FORMAT_UNSIGNED_4:
        *number = cursor_number(cursor, 4);
        break;
    case FORMAT_UNSIGNED_2:
        *number = cursor_number(cursor, 2);
        break;
    case FORMAT_SIGNED_4:
        *number = (uint64_t)(int64_t)(int32_t)cursor_number(cursor, 4);
        break;
    case FORMAT_SIGNED_2:
        *number = (uint64_t)(int64_t)(int16_t)cursor_number(cursor, 2);
        break;
    default:
        return false;
    }
    return !cursor->failed;
}

bool elf_unwind_read_pointer(struct cursor *cursor, uint8_t encoding, uint64_t vaddr, uint64_t *pointer)
{
    uint8_t base = encoding & BASE_MASK;
    if ((base != BASE_ABSOLUTE && base != BASE_HERE) || !read_number(cursor, encoding & FORMAT_MASK, pointer))
        return false;
    if (base == BASE_HERE)
        *pointer += vaddr;
    return true;
}

bool elf_unwind_open(struct cursor *table, struct cursor *record)
{
    uint64_t length = cursor_number(table, 4);
    const uint8_t *body;
    if (length == UINT32_MAX)
        length = cursor_number(table, 8);
    if (table->failed || !length || !(body = cursor_take(table, length)))
        return false;
    *record = (struct cursor){.at = body, .end = body + length};
    return true;
}

bool elf_unwind_refers(struct cursor *record, enum elf_unwind_format format, uint64_t here, uint64_t *common)
{
    uint64_t word = cursor_number(record, 4);
    if (record->failed)
        return false;
    if (format == ELF_UNWIND_DEBUG_FRAME) {
        *common = word;
        return word != UINT32_MAX;
    }
    if (!word || word > here)
        return false;
    *common = here - word;
    return true;
}

/* Returns ENCODING. A format without a size becomes one with the size of an address. */
static uint8_t sized(uint8_t encoding, bool compat)
{
    return compat && (encoding & FORMAT_MASK) == FORMAT_ABSOLUTE ? encoding | FORMAT_UNSIGNED_4 : encoding;
}

/* Reads the augmentation DATA. STRING, after its z, describes it. */
static void read_augmentation(struct cursor data, const char *string, struct elf_cie *common)
{
    uint8_t found = FORMAT_ABSOLUTE, encoding;
    uint64_t ignored;
    for (; *string; string++)
        switch (*string) {
        case 'R':
            found = (uint8_t)cursor_number(&data, 1);
            break;
        case 'P': /* pointer to the personality routine: skipped, only its size matters */
            encoding = sized((uint8_t)cursor_number(&data, 1), common->is_compat);
            if ((encoding & BASE_ALIGNED) == BASE_ALIGNED || !read_number(&data, encoding & FORMAT_MASK, &ignored))
                return;
            break;
        case 'L':
            cursor_number(&data, 1);
            break;
        case 'S':
            common->is_signal = true;
            break;
        case 'B':
            break;
        default:
            return;
        }
    if (!data.failed)
        common->encoding = found;
}

bool elf_unwind_read_common(struct cursor record, enum elf_unwind_format format, bool compat, struct elf_cie *common)
{
    bool is_debug = format == ELF_UNWIND_DEBUG_FRAME;
    uint64_t kind = cursor_number(&record, 4), version = cursor_number(&record, 1);
    struct cursor text = record;
    const char *string;
    *common = (struct elf_cie){.is_compat = compat};
    bool has_kind = kind == (is_debug ? UINT32_MAX : 0);
    bool has_version = version == 1 || version == 3 || (version == 4 && is_debug);
    if (record.failed || !has_kind || !has_version)
        return false;
    if (cursor_left(&text) > AUGMENTATION_MAX)
        text.end = text.at + AUGMENTATION_MAX;
    string = cursor_string(&text);
    if (!string)
        return false;
    record.at = text.at;
    if (version == 4 && (cursor_number(&record, 1) != (compat ? 4 : 8) || cursor_number(&record, 1) != 0))
        return false; /* size of addresses and of segment selectors */
    common->code_alignment = cursor_leb128(&record);
    common->data_alignment = cursor_signed_leb128(&record);
    common->return_register = version == 1 ? cursor_number(&record, 1) : cursor_leb128(&record);
    common->has_augmentation = *string == 'z';
    common->is_signal = strcmp(string, "S") == 0; /* the encoding in .debug_frame */
    common->encoding = *string && !common->is_signal ? ENCODING_UNKNOWN : FORMAT_ABSOLUTE;
    if (common->has_augmentation) {
        const uint8_t *data = cursor_take(&record, cursor_leb128(&record));
        if (data)
            read_augmentation((struct cursor){.at = data, .end = record.at}, string + 1, common);
    }
    common->encoding = sized(common->encoding, compat);
    common->code = record.at;
    common->code_size = cursor_left(&record);
    return !record.failed;
}

bool elf_unwind_read_record(struct cursor *cursor, const struct elf_cie *common, uint64_t vaddr, struct elf_fde *record)
{
    uint64_t start, size;
    /* the size is not a pointer: only the format of the encoding counts */
    if (!elf_unwind_read_pointer(cursor, common->encoding, vaddr, &start) ||
        !read_number(cursor, common->encoding & FORMAT_SIZE_MASK, &size))
        return false;
    if (common->has_augmentation)
        cursor_take(cursor, cursor_leb128(cursor));
    *record =
        (struct elf_fde){.start = start, .end = start + size, .code = cursor->at, .code_size = cursor_left(cursor)};
    return !cursor->failed && record->end > record->start;
}
