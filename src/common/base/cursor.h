/* SPDX-License-Identifier: MIT
 *
 * Reads untrusted bytes. A read past the end, or of a number that is too long, makes the cursor fail. All later reads
 * return 0. So a caller may read a whole record and check FAILED once. */
#ifndef BASE_CURSOR_H
#define BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cursor {
    const uint8_t *at, *end;
    bool failed;
};

static inline size_t cursor_left(const struct cursor *cursor)
{
    return cursor->failed ? 0 : (size_t)(cursor->end - cursor->at);
}

/* Returns the next SIZE bytes and moves past them, or returns NULL. */
static inline const uint8_t *cursor_take(struct cursor *cursor, uint64_t size)
{
    const uint8_t *taken = cursor->at;
    if (cursor->failed || size > cursor_left(cursor)) {
        cursor->failed = true;
        return NULL;
    }
    cursor->at += size;
    return taken;
}

/* An unsigned little-endian number of SIZE bytes, 1 to 8. */
static inline uint64_t cursor_number(struct cursor *cursor, size_t size)
{
    const uint8_t *bytes = cursor_take(cursor, size);
    uint64_t number = 0;
    if (bytes)
        memcpy(&number, bytes, size);
    return number;
}

/* Moves past a LEB128 number. Returns its lowest 64 bits. */
static inline uint64_t cursor_leb128(struct cursor *cursor)
{
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        uint64_t byte = cursor_number(cursor, 1);
        if (shift < 64)
            number |= (byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return number;
    }
    cursor->failed = true;
    return 0;
}

/* As cursor_leb128, for a signed number. */
static inline int64_t cursor_signed_leb128(struct cursor *cursor)
{
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        uint64_t byte = cursor_number(cursor, 1);
        if (shift < 64)
            number |= (byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            if ((byte & 0x40) && shift < 57)
                number |= UINT64_MAX << (shift + 7);
            return (int64_t)number;
        }
    }
    cursor->failed = true;
    return 0;
}

/* Moves past a 0-terminated string and returns it. Returns NULL if it does not end. */
static inline const char *cursor_string(struct cursor *cursor)
{
    const uint8_t *end = cursor_left(cursor) ? memchr(cursor->at, 0, cursor_left(cursor)) : NULL;
    if (!end) {
        cursor->failed = true;
        return NULL;
    }
    return (const char *)cursor_take(cursor, (uint64_t)(end - cursor->at) + 1);
}

#endif
