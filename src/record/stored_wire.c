/* SPDX-License-Identifier: MIT */
#include "record/stored_wire.h"

#include <stdlib.h>

enum {
    MOST_BYTES = 2 << 20, /* of a message: unpacked it takes some thirty times that */
    ALIGNMENT = 16,
};

struct stored_block {
    struct stored_block *next;
    _Alignas(ALIGNMENT) unsigned char bytes[];
};

bool stored_next(struct cursor *cursor, struct stored_field *field)
{
    *field = (struct stored_field){.number = 0};
    if (!cursor_left(cursor))
        return false;
    uint64_t tag = cursor_leb128(cursor);
    if (tag >> 3 == 0 || tag >> 3 > UINT32_MAX >> 3)
        cursor->failed = true;
    field->number = (uint32_t)(tag >> 3);
    switch (tag & 7) {
    case PROTOBUF_C_WIRE_TYPE_VARINT:
        field->value = cursor_leb128(cursor);
        break;
    case PROTOBUF_C_WIRE_TYPE_64BIT:
        field->value = cursor_number(cursor, 8);
        break;
    case PROTOBUF_C_WIRE_TYPE_32BIT:
        field->value = cursor_number(cursor, 4);
        break;
    case PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED:
        field->is_bytes = true;
        field->size = cursor_leb128(cursor);
        field->bytes = cursor_take(cursor, field->size);
        break;
    default:
        cursor->failed = true;
    }
    return !cursor->failed;
}

static void *allocate(void *data, size_t size)
{
    struct stored_memory *memory = data;
    size_t rounded = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (rounded < size)
        return NULL;
    if (rounded <= sizeof memory->bytes - memory->used) {
        void *place = memory->bytes + memory->used;
        memory->used += rounded;
        return place;
    }
    struct stored_block *block = rounded < SIZE_MAX - sizeof *block ? malloc(sizeof *block + rounded) : NULL;
    if (!block)
        return NULL;
    block->next = memory->blocks;
    memory->blocks = block;
    return block->bytes;
}

/* Everything goes at once, when the next message is unpacked. */
static void keep(void *data, void *place)
{
    (void)data;
    (void)place;
}

void stored_memory_init(struct stored_memory *memory)
{
    memory->allocator = (ProtobufCAllocator){.alloc = allocate, .free = keep, .allocator_data = memory};
    memory->blocks = NULL;
    memory->used = 0;
}

void stored_memory_free(struct stored_memory *memory)
{
    while (memory->blocks) {
        struct stored_block *next = memory->blocks->next;
        free(memory->blocks);
        memory->blocks = next;
    }
    memory->used = 0;
}

const ProtobufCMessage *stored_unpack(struct stored_memory *memory, const ProtobufCMessageDescriptor *type,
                                      const struct stored_field *field)
{
    stored_memory_free(memory);
    if (!field->is_bytes || field->size > MOST_BYTES)
        return NULL;
    return protobuf_c_message_unpack(type, &memory->allocator, field->size, field->bytes);
}
