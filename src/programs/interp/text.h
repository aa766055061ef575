/* SPDX-License-Identifier: MIT
 *
 * Words and texts in copies of a process's memory. */
#ifndef INTERP_TEXT_H
#define INTERP_TEXT_H

#include "programs/interp/runtime.h"

#include <string.h>

/* Returns the word of SIZE bytes (at most 8) at OFFSET in BYTES, which has ROOM bytes; 0 beyond the end. */
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

/* Returns the bytes of part NUMBER of PARTS, and their number in *SIZE. */
const unsigned char *interp_part(const struct interp_parts *parts, size_t number, size_t *size);

/* Returns the word of SIZE bytes (at most 8) at OFFSET in part NUMBER; 0 beyond its end. */
uint64_t interp_part_number(const struct interp_parts *parts, size_t number, size_t offset, size_t size);

/* Copies LENGTH bytes at OFFSET in part NUMBER to TEXT, as far as they exist and fit, and stops at a 0. Returns false,
 * with TEXT empty, if no byte is copied. */
bool interp_part_text(const struct interp_parts *parts, size_t number, size_t offset, uint64_t length,
                      char text[INTERP_NAME_MOST]);

#endif
