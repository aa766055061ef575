/* SPDX-License-Identifier: MIT
 *
 * The fields of a stored profile, one at a time: as a whole it would take many times its size in memory. */
#ifndef RECORD_STORED_WIRE_H
#define RECORD_STORED_WIRE_H

#include "base/cursor.h"
#include "record/profile.pb-c.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stored_field {
    uint32_t number;
    bool is_bytes;
    uint64_t value;       /* of a number */
    const uint8_t *bytes; /* of a text or a message */
    size_t size;
};

/* Reads the field at CURSOR and goes past it. False at the end, and when what is there is no field: CURSOR
 * has failed then. */
bool stored_next(struct cursor *cursor, struct stored_field *field);

/* Memory for one message at a time. */
struct stored_memory {
    ProtobufCAllocator allocator;
    struct stored_block *blocks; /* for what does not fit in `bytes` */
    size_t used;
    _Alignas(16) unsigned char bytes[1 << 14];
};

void stored_memory_init(struct stored_memory *memory);
void stored_memory_free(struct stored_memory *memory);

/* Unpacks FIELD, a message of TYPE. Returns it, valid until the next call, or NULL if it is broken,
 * unreasonably large, or there is no memory. */
const ProtobufCMessage *stored_unpack(struct stored_memory *memory, const ProtobufCMessageDescriptor *type,
                                      const struct stored_field *field);

#endif
