/* SPDX-License-Identifier: MIT
 *
 * Words and texts in copies of a process's memory. */
#ifndef INTERP_TEXT_H
#define INTERP_TEXT_H

#include "interp/runtime.h"

#include <string.h>

/* Returns the word of SIZE bytes, at most 8, at OFFSET of the ROOM bytes at BYTES; 0 beyond their end. */
static inline uint64_t interp_number(const unsigned char *bytes, size_t room, size_t offset, size_t size)
{
    uint64_t number = 0;
    if (offset <= room && size <= room - offset)
        memcpy(&number, bytes + offset, size);
    return number;
}

/* Writes COUNT code points of WIDTH bytes (1, 2 or 4) to TEXT as UTF-8, as far as they fit. Invalid ones become a
 * question mark. */
void interp_utf8(char text[INTERP_NAME_MOST], const unsigned char *bytes, size_t count, size_t width);

/* Copies COUNT bytes to TEXT, as far as they fit, up to a 0. */
void interp_copy_text(char text[INTERP_NAME_MOST], const unsigned char *bytes, size_t count);

/* Returns the bytes of part NUMBER of PARTS, and their number in *SIZE. */
const unsigned char *interp_part(const struct interp_parts *parts, size_t number, size_t *size);

/* Returns the word of SIZE bytes, at most 8, at OFFSET of part NUMBER; 0 beyond its end. */
uint64_t interp_part_number(const struct interp_parts *parts, size_t number, size_t offset, size_t size);

/* Copies the LENGTH bytes at OFFSET of part NUMBER to TEXT, up to a 0, as far as they are there and fit. Returns false,
 * with TEXT empty, if there are none. */
bool interp_part_text(const struct interp_parts *parts, size_t number, size_t offset, uint64_t length,
                      char text[INTERP_NAME_MOST]);

#endif
