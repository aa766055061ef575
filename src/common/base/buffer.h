/* SPDX-License-Identifier: MIT
 *
 * A growable run of bytes, always followed by a 0 that does not count. */
#ifndef BASE_BUFFER_H
#define BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer {
    char *bytes; /* NULL while empty and never used */
    size_t length, room;
    bool failed; /* an append ran out of memory; earlier content is intact */
};

/* A zeroed buffer is empty. Frees the bytes; the buffer is empty afterwards. */
void buffer_fini(struct buffer *buffer);

/* Appends SIZE bytes. Returns false, and sets failed, if memory runs out. */
bool buffer_append(struct buffer *buffer, const void *bytes, size_t size);

/* Append a string or formatted text. Return as buffer_append. */
bool buffer_puts(struct buffer *buffer, const char *text);
bool buffer_printf(struct buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Appends SIZE bytes as two hexadecimal digits each. Returns as buffer_append. */
bool buffer_hex(struct buffer *buffer, const uint8_t *bytes, size_t size);

/* Appends SIZE bytes in base64 (RFC 4648), padded. Returns as buffer_append. */
bool buffer_base64(struct buffer *buffer, const void *bytes, size_t size);

/* Appends NUMBER in decimal. Returns as buffer_append. */
bool buffer_number(struct buffer *buffer, uint64_t number);

/* Replaces BUFFER's content with the content of FD from offset 0, up to LIMIT bytes. For /proc texts. Returns 0 or
 * -errno: -E2BIG for more than LIMIT bytes, of which it keeps the first LIMIT. */
int buffer_read_file(struct buffer *buffer, int fd, size_t limit);

/* As buffer_read_file, for the file at PATH. BUFFER is empty if the file cannot be opened. */
int buffer_read_path(struct buffer *buffer, const char *path, size_t limit);

#endif
