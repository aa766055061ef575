/* SPDX-License-Identifier: MIT */
#include "common/base/protobuf.h"

#include "common/base/buffer.h"
#include "common/base/cursor.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

enum wire { WIRE_VARINT = 0, WIRE_64BIT = 1, WIRE_BYTES = 2, WIRE_32BIT = 5 };

enum { ALIGNMENT = 16 };

struct protobuf_block {
    struct protobuf_block *next;
    _Alignas(ALIGNMENT) unsigned char bytes[];
};

bool protobuf_next(struct cursor *cursor, struct protobuf_entry *entry)
{
    *entry = (struct protobuf_entry){.number = 0};
    if (!cursor_left(cursor))
        return false;
    uint64_t tag = cursor_leb128(cursor);
    if (tag >> 3 == 0 || tag >> 3 > UINT32_MAX >> 3)
        cursor->failed = true;
    entry->number = (uint32_t)(tag >> 3);
    switch (tag & 7) {
    case WIRE_VARINT:
        entry->value = cursor_leb128(cursor);
        break;
    case WIRE_64BIT:
        entry->value = cursor_number(cursor, 8);
        break;
    case WIRE_32BIT:
        entry->value = cursor_number(cursor, 4);
        break;
    case WIRE_BYTES:
        entry->is_bytes = true;
        entry->size = cursor_leb128(cursor);
        entry->bytes = cursor_take(cursor, entry->size);
        break;
    default:
        cursor->failed = true;
    }
    return !cursor->failed;
}

void protobuf_memory_free(struct protobuf_memory *memory)
{
    while (memory->blocks) {
        struct protobuf_block *next = memory->blocks->next;
        free(memory->blocks);
        memory->blocks = next;
    }
    memory->used = 0;
}

/* Allocates COUNT items of SIZE bytes. COUNT is bounded by the size of a file in memory. */
static void *allocate(struct protobuf_memory *memory, size_t count, size_t size)
{
    size_t rounded = (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (rounded <= sizeof memory->bytes - memory->used) {
        void *place = memory->bytes + memory->used;
        memory->used += rounded;
        return place;
    }
    struct protobuf_block *block = malloc(sizeof *block + rounded);
    if (!block)
        return NULL;
    block->next = memory->blocks;
    memory->blocks = block;
    return block->bytes;
}

static void *member(const void *message, size_t offset)
{
    return (unsigned char *)(uintptr_t)message + offset;
}

static size_t *count_of(const struct protobuf_field *field, const void *message)
{
    return member(message, field->count);
}

/* Returns the field of LAYOUT for ENTRY, or NULL. Fields mostly come in the order of the layout, so *HINT is the
 * position of the last one. */
static const struct protobuf_field *find(const struct protobuf_layout *layout, const struct protobuf_entry *entry,
                                         size_t *hint)
{
    for (size_t i = 0; i < layout->count; i++) {
        size_t at = *hint + i < layout->count ? *hint + i : *hint + i - layout->count;
        if (layout->fields[at].number == entry->number) {
            *hint = at;
            return &layout->fields[at];
        }
    }
    return NULL;
}

/* Returns how many items of FIELD are in ENTRY. For packed numbers, this is the number of bytes that end one. */
static size_t items_in(const struct protobuf_field *field, const struct protobuf_entry *entry)
{
    size_t count = 0;
    if (field->kind == PROTOBUF_MESSAGES)
        return entry->is_bytes;
    if (field->kind != PROTOBUF_NUMBERS || !entry->is_bytes)
        return field->kind == PROTOBUF_NUMBERS;
    for (size_t i = 0; i < entry->size; i++)
        count += entry->bytes[i] < 0x80;
    return count;
}

/* Makes room in MESSAGE for all items of each field, and sets their counts to 0 again. */
static bool make_room(struct protobuf_memory *memory, const struct protobuf_layout *layout,
                      const struct protobuf_entry *whole, void *message)
{
    struct cursor cursor = {.at = whole->bytes, .end = whole->bytes + whole->size};
    struct protobuf_entry entry;
    size_t counts[PROTOBUF_FIELDS_MOST] = {0}, hint = 0;
    while (protobuf_next(&cursor, &entry)) {
        const struct protobuf_field *field = find(layout, &entry, &hint);
        if (field)
            counts[hint] += items_in(field, &entry);
    }
    memset(message, 0, layout->size);
    for (size_t i = 0; i < layout->count && !cursor.failed; i++) {
        const struct protobuf_field *field = &layout->fields[i];
        void *items = counts[i] ? allocate(memory, counts[i], field->of ? field->of->size : sizeof(uint64_t)) : NULL;
        if (counts[i] && !items)
            return false;
        if (counts[i])
            memcpy(member(message, field->member), &items, sizeof items);
    }
    return !cursor.failed;
}

static bool take_numbers(const struct protobuf_field *field, const struct protobuf_entry *entry, void *message)
{
    struct cursor cursor = {0};
    uint64_t *items;
    size_t *count = count_of(field, message);
    memcpy(&items, member(message, field->member), sizeof items);
    if (entry->is_bytes)
        cursor = (struct cursor){.at = entry->bytes, .end = entry->bytes + entry->size};
    else
        items[(*count)++] = entry->value;
    while (cursor_left(&cursor)) {
        uint64_t number = cursor_leb128(&cursor);
        if (!cursor.failed)
            items[(*count)++] = number;
    }
    return !cursor.failed;
}

/* Takes one field. Ignores a field whose kind differs from the layout. */
static bool take_field(struct protobuf_memory *memory, const struct protobuf_field *field,
                       const struct protobuf_entry *entry, void *message)
{
    unsigned char *items;
    if ((field->kind == PROTOBUF_NUMBER || field->kind == PROTOBUF_FIXED64) && !entry->is_bytes)
        memcpy(member(message, field->member), &entry->value, sizeof entry->value);
    if (field->kind == PROTOBUF_NUMBERS)
        return take_numbers(field, entry, message);
    if (field->kind != PROTOBUF_MESSAGES || !entry->is_bytes)
        return true;
    memcpy(&items, member(message, field->member), sizeof items);
    return protobuf_take(memory, field->of, entry, items + (*count_of(field, message))++ * field->of->size);
}

bool protobuf_take(struct protobuf_memory *memory, const struct protobuf_layout *layout,
                   const struct protobuf_entry *whole, void *message)
{
    struct protobuf_entry entry;
    size_t hint = 0;
    if (!whole->is_bytes || !make_room(memory, layout, whole, message))
        return false;
    struct cursor cursor = {.at = whole->bytes, .end = whole->bytes + whole->size};
    while (protobuf_next(&cursor, &entry)) {
        const struct protobuf_field *field = find(layout, &entry, &hint);
        if (field && !take_field(memory, field, &entry, message))
            return false;
    }
    return true;
}

static size_t number_size(uint64_t number)
{
    size_t size = 1;
    for (; number > 0x7f; number >>= 7)
        size++;
    return size;
}

static void put_number(struct buffer *out, uint64_t number)
{
    unsigned char digits[10];
    size_t length = 0;
    for (; number > 0x7f; number >>= 7)
        digits[length++] = (unsigned char)(number | 0x80);
    digits[length++] = (unsigned char)number;
    buffer_append(out, digits, length);
}

static uint64_t tag(uint32_t number, enum wire wire)
{
    return (uint64_t)number << 3 | wire;
}

static size_t size_of(const struct protobuf_layout *layout, const void *message);

/* Returns the items that FIELD of MESSAGE points to, and their number. */
static const unsigned char *items_of(const struct protobuf_field *field, const void *message, size_t *count)
{
    const unsigned char *items;
    memcpy(&items, member(message, field->member), sizeof items);
    *count = field->kind == PROTOBUF_MESSAGE ? items != NULL : *count_of(field, message);
    return items;
}

static uint64_t number_at(const void *place)
{
    uint64_t number;
    memcpy(&number, place, sizeof number);
    return number;
}

static size_t numbers_size(const unsigned char *items, size_t count)
{
    size_t size = 0;
    for (size_t i = 0; i < count; i++)
        size += number_size(number_at(items + i * sizeof(uint64_t)));
    return size;
}

static size_t framed(uint32_t number, size_t size)
{
    return number_size(tag(number, WIRE_BYTES)) + number_size(size) + size;
}

static size_t field_size(const struct protobuf_field *field, const void *message)
{
    size_t count, size = 0;
    if (field->kind == PROTOBUF_NUMBER) {
        uint64_t number = number_at(member(message, field->member));
        return number ? number_size(tag(field->number, WIRE_VARINT)) + number_size(number) : 0;
    }
    if (field->kind == PROTOBUF_FIXED64)
        return number_at(member(message, field->member)) ? number_size(tag(field->number, WIRE_64BIT)) + 8 : 0;
    const unsigned char *items = items_of(field, message, &count);
    if (field->kind == PROTOBUF_NUMBERS)
        return count ? framed(field->number, numbers_size(items, count)) : 0;
    for (size_t i = 0; i < count; i++)
        size += framed(field->number, size_of(field->of, items + i * field->of->size));
    return size;
}

static size_t size_of(const struct protobuf_layout *layout, const void *message)
{
    size_t size = 0;
    for (size_t i = 0; i < layout->count; i++)
        size += field_size(&layout->fields[i], message);
    return size;
}

/* One number, unless it is 0. */
static void put_single(struct buffer *out, const struct protobuf_field *field, const void *message)
{
    uint64_t number = number_at(member(message, field->member)), little = htole64(number);
    if (!number)
        return;
    put_number(out, tag(field->number, field->kind == PROTOBUF_FIXED64 ? WIRE_64BIT : WIRE_VARINT));
    if (field->kind == PROTOBUF_FIXED64)
        buffer_append(out, &little, sizeof little);
    else
        put_number(out, number);
}

static void put_field(struct buffer *out, const struct protobuf_field *field, const void *message)
{
    size_t count;
    if (field->kind == PROTOBUF_NUMBER || field->kind == PROTOBUF_FIXED64) {
        put_single(out, field, message);
        return;
    }
    const unsigned char *items = items_of(field, message, &count);
    if (field->kind == PROTOBUF_NUMBERS && count) {
        put_number(out, tag(field->number, WIRE_BYTES));
        put_number(out, numbers_size(items, count));
    }
    for (size_t i = 0; i < count; i++)
        if (field->kind == PROTOBUF_NUMBERS)
            put_number(out, number_at(items + i * sizeof(uint64_t)));
        else
            protobuf_put_message(out, field->number, field->of, items + i * field->of->size);
}

void protobuf_put(struct buffer *out, const struct protobuf_layout *layout, const void *message)
{
    for (size_t i = 0; i < layout->count; i++)
        put_field(out, &layout->fields[i], message);
}

void protobuf_put_message(struct buffer *out, uint32_t number, const struct protobuf_layout *layout,
                          const void *message)
{
    put_number(out, tag(number, WIRE_BYTES));
    put_number(out, size_of(layout, message));
    protobuf_put(out, layout, message);
}

void protobuf_put_bytes(struct buffer *out, uint32_t number, const void *bytes, size_t size)
{
    put_number(out, tag(number, WIRE_BYTES));
    put_number(out, size);
    buffer_append(out, bytes, size);
}
