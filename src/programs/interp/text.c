/* SPDX-License-Identifier: MIT */
#include "programs/interp/text.h"

/* Writes the code point CODE as UTF-8. Returns the number of bytes. */
static size_t encode(uint32_t code, char bytes[4])
{
    if (code < 0x80) {
        bytes[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        bytes[0] = (char)(0xc0 | code >> 6);
        bytes[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code < 0x10000) {
        bytes[0] = (char)(0xe0 | code >> 12);
        bytes[1] = (char)(0x80 | (code >> 6 & 0x3f));
        bytes[2] = (char)(0x80 | (code & 0x3f));
        return 3;
    }
    bytes[0] = (char)(0xf0 | code >> 18);
    bytes[1] = (char)(0x80 | (code >> 12 & 0x3f));
    bytes[2] = (char)(0x80 | (code >> 6 & 0x3f));
    bytes[3] = (char)(0x80 | (code & 0x3f));
    return 4;
}

static bool is_character(uint32_t code)
{
    return code && code < 0x110000 && !(code >= 0xd800 && code < 0xe000);
}

void interp_utf8(char text[INTERP_NAME_MOST], const unsigned char *bytes, size_t count, size_t width)
{
    size_t used = 0;
    for (size_t i = 0; i < count && used + 4 < INTERP_NAME_MOST; i++) {
        uint32_t code = 0;
        memcpy(&code, bytes + i * width, width);
        used += encode(is_character(code) ? code : '?', text + used);
    }
    text[used] = 0;
}

/* Copies up to COUNT bytes to TEXT, as far as they fit, and stops at a 0. */
static void copy_text(char text[INTERP_NAME_MOST], const unsigned char *bytes, size_t count)
{
    size_t used = 0;
    for (; used < count && used + 1 < INTERP_NAME_MOST && bytes[used]; used++)
        text[used] = (char)bytes[used];
    text[used] = 0;
}

const unsigned char *interp_part(const struct interp_parts *parts, size_t number, size_t *size)
{
    const unsigned char *bytes = parts->bytes;
    *size = 0;
    if (number >= parts->count)
        return bytes;
    for (size_t i = 0; i < number; i++)
        bytes += parts->sizes[i];
    *size = parts->sizes[number];
    return bytes;
}

uint64_t interp_part_number(const struct interp_parts *parts, size_t number, size_t offset, size_t size)
{
    size_t room;
    const unsigned char *bytes = interp_part(parts, number, &room);
    return interp_number(bytes, room, offset, size);
}

bool interp_part_text(const struct interp_parts *parts, size_t number, size_t offset, uint64_t length,
                      char text[INTERP_NAME_MOST])
{
    size_t size;
    const unsigned char *bytes = interp_part(parts, number, &size);
    size_t there = size > offset ? size - offset : 0;
    copy_text(text, there ? bytes + offset : bytes, length < there ? (size_t)length : there);
    return text[0];
}
