/* SPDX-License-Identifier: MIT */
#include "common/base/buffer.h"

#include "common/base/array.h"
#include "common/base/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void buffer_fini(struct buffer *buffer)
{
    free(buffer->bytes);
    memset(buffer, 0, sizeof *buffer);
}

static bool reserve(struct buffer *buffer, size_t more)
{
    size_t need = buffer->length + more + 1;
    char *bytes = need > more ? array_grow(buffer->bytes, &buffer->room, need, 1) : NULL;
    if (!bytes) {
        buffer->failed = true;
        return false;
    }
    buffer->bytes = bytes;
    return true;
}

bool buffer_append(struct buffer *buffer, const void *bytes, size_t size)
{
    if (!reserve(buffer, size))
        return false;
    if (size)
        memcpy(buffer->bytes + buffer->length, bytes, size);
    buffer->length += size;
    buffer->bytes[buffer->length] = 0;
    return true;
}

bool buffer_puts(struct buffer *buffer, const char *text)
{
    return buffer_append(buffer, text, strlen(text));
}

bool buffer_hex(struct buffer *buffer, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        buffer_printf(buffer, "%02x", bytes[i]);
    return !buffer->failed;
}

bool buffer_printf(struct buffer *buffer, const char *format, ...)
{
    enum { GUESS = 64 };
    size_t room = reserve(buffer, GUESS) ? buffer->room - buffer->length : 0;
    va_list args;
    va_start(args, format);
    int size = room ? vsnprintf(buffer->bytes + buffer->length, room, format, args) : -1;
    va_end(args);
    if (size < 0 || !reserve(buffer, (size_t)size)) {
        if (room)
            buffer->bytes[buffer->length] = 0;
        buffer->failed = true;
        return false;
    }
    if ((size_t)size >= room) {
        va_start(args, format);
        vsnprintf(buffer->bytes + buffer->length, (size_t)size + 1, format, args);
        va_end(args);
    }
    buffer->length += (size_t)size;
    return true;
}

bool buffer_base64(struct buffer *buffer, const void *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *at = bytes;
    for (; size; size -= size < 3 ? size : 3, at += 3) {
        unsigned three = (unsigned)at[0] << 16 | (size > 1 ? (unsigned)at[1] << 8 : 0) | (size > 2 ? at[2] : 0);
        const char four[] = {digits[three >> 18], digits[three >> 12 & 63], size > 1 ? digits[three >> 6 & 63] : '=',
                             size > 2 ? digits[three & 63] : '='};
        buffer_append(buffer, four, sizeof four);
    }
    return !buffer->failed;
}

bool buffer_number(struct buffer *buffer, uint64_t number)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    return buffer_append(buffer, digits + at, sizeof digits - at);
}

int buffer_read_file(struct buffer *buffer, int fd, size_t limit)
{
    buffer->length = 0;
    for (;;) {
        size_t step = buffer->length ? buffer->length : 4096;
        if (step > limit - buffer->length)
            step = limit - buffer->length;
        if (!step)
            return -E2BIG;
        if (!reserve(buffer, step))
            return -ENOMEM;
        ssize_t got = pread(fd, buffer->bytes + buffer->length, step, (off_t)buffer->length);
        if (got < 0) {
            if (errno == EINTR)
                continue;
            return -errno;
        }
        buffer->length += (size_t)got;
        buffer->bytes[buffer->length] = 0;
        if (!got)
            return 0;
    }
}

int buffer_read_path(struct buffer *buffer, const char *path, size_t limit)
{
    int fd = proc_open(path, O_RDONLY);
    buffer->length = 0;
    if (fd < 0)
        return fd;
    int result = buffer_read_file(buffer, fd, limit);
    close(fd);
    return result;
}
