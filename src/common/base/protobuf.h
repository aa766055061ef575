/* SPDX-License-Identifier: MIT
 *
 * Messages in the Protocol Buffers wire format, as far as stored profiles use it: integers, texts and nested
 * messages. A layout maps members of a struct to fields, for reading and for writing. Input is untrusted. */
#ifndef BASE_PROTOBUF_H
#define BASE_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;
struct cursor;

enum protobuf_kind {
    PROTOBUF_NUMBER,  /* the member is a uint64_t or int64_t; 0 is not written */
    PROTOBUF_FIXED64, /* the same as 8 bytes on the wire */
    PROTOBUF_NUMBERS, /* a pointer to numbers, and their count */
    PROTOBUF_MESSAGE, /* a pointer to a struct, or NULL; only written, never read */
    PROTOBUF_MESSAGES /* a pointer to structs, and their count */
};

struct protobuf_layout;

struct protobuf_field {
    uint32_t number;
    enum protobuf_kind kind;
    size_t member, count;             /* offsets in the struct; the second is the offset of a size_t */
    const struct protobuf_layout *of; /* of the message or messages */
};

enum { PROTOBUF_FIELDS_MOST = 32 };

struct protobuf_layout {
    size_t size; /* of the struct */
    const struct protobuf_field *fields;
    size_t count; /* at most PROTOBUF_FIELDS_MOST */
};

/* A field as read. */
struct protobuf_entry {
    uint32_t number;
    bool is_bytes;
    uint64_t value;       /* of a number */
    const uint8_t *bytes; /* of a text or a message */
    size_t size;
};

/* Reads the entry at CURSOR and moves past it. Returns false at the end, or if no valid entry is there; CURSOR has
 * failed then. */
bool protobuf_next(struct cursor *cursor, struct protobuf_entry *entry);

/* Memory for the data that a message points to. Zero it before the first use. */
struct protobuf_memory {
    struct protobuf_block *blocks; /* for data that does not fit into `bytes` */
    size_t used;
    _Alignas(16) unsigned char bytes[1 << 14];
};

/* Frees all data that was read into MEMORY. */
void protobuf_memory_free(struct protobuf_memory *memory);

/* Reads ENTRY, a message, into the struct MESSAGE by LAYOUT, and skips fields that LAYOUT does not name. MESSAGE
 * points into MEMORY. Returns false if ENTRY is not a message, is broken, or memory runs out. */
bool protobuf_take(struct protobuf_memory *memory, const struct protobuf_layout *layout,
                   const struct protobuf_entry *entry, void *message);

/* Append the fields of MESSAGE (protobuf_put), MESSAGE as field NUMBER, or SIZE BYTES as field NUMBER. OUT remembers a
 * failure. */
void protobuf_put(struct buffer *out, const struct protobuf_layout *layout, const void *message);
void protobuf_put_message(struct buffer *out, uint32_t number, const struct protobuf_layout *layout,
                          const void *message);
void protobuf_put_bytes(struct buffer *out, uint32_t number, const void *bytes, size_t size);

#endif
