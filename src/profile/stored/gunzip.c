/* SPDX-License-Identifier: MIT */
#include "profile/stored/gunzip.h"

#include <errno.h>
#include <stdbool.h>
#include <unistd.h>
#include <zlib.h>

enum { CHUNK = 1 << 16 };

struct input {
    int fd;
    size_t length; /* bytes in the buffer; 0 at the end */
    unsigned char bytes[CHUNK];
};

/* Fills the buffer with the next input, unless the input ends before. */
static int next_input(struct input *input, struct error *error)
{
    input->length = 0;
    while (input->length < CHUNK) {
        ssize_t got = read(input->fd, input->bytes + input->length, CHUNK - input->length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_system(error, errno, "cannot be read");
        if (!got)
            break;
        input->length += (size_t)got;
    }
    return 0;
}

static int append(struct buffer *bytes, const void *more, size_t size, size_t limit, struct error *error)
{
    if (size > limit - bytes->length)
        return error_set(error, E2BIG,
                         "is larger than %zu MiB when it is unpacked, and ptprofil reads no more than that",
                         limit >> 20);
    return buffer_append(bytes, more, size) ? 0 : error_set(error, ENOMEM, "out of memory");
}

static int copy(struct buffer *bytes, struct input *input, size_t limit, struct error *error)
{
    int result = 0;
    while (!result && input->length) {
        result = append(bytes, input->bytes, input->length, limit, error);
        if (!result)
            result = next_input(input, error);
    }
    return result;
}

static bool is_compressed(const struct input *input)
{
    return input->length >= 2 && input->bytes[0] == 0x1f && input->bytes[1] == 0x8b;
}

enum { GZIP = 16 }; /* added to the window size: accept the header of gzip */

/* Unpacks the buffer. Sets *ENDED if the last gzip member is complete. */
static int inflate_input(z_stream *zlib, struct buffer *bytes, struct input *input, size_t limit, bool *ended,
                         struct error *error)
{
    unsigned char chunk[CHUNK];
    zlib->next_in = input->bytes;
    zlib->avail_in = (uInt)input->length;
    do {
        if (*ended && zlib->avail_in && inflateReset(zlib) != Z_OK) /* another member follows */
            return error_set(error, ENOMEM, "out of memory");
        zlib->next_out = chunk;
        zlib->avail_out = CHUNK;
        int status = inflate(zlib, Z_NO_FLUSH);
        if (status == Z_MEM_ERROR)
            return error_set(error, ENOMEM, "out of memory");
        if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
            return error_set(error, EBADMSG, "is damaged: %s", zlib->msg ? zlib->msg : "it cannot be unpacked");
        *ended = status == Z_STREAM_END;
        int result = append(bytes, chunk, CHUNK - zlib->avail_out, limit, error);
        if (result < 0)
            return result;
    } while (zlib->avail_in || !zlib->avail_out);
    return 0;
}

static int unpack(struct buffer *bytes, struct input *input, size_t limit, struct error *error)
{
    z_stream zlib = {.next_in = NULL};
    bool ended = false;
    int result = 0;
    if (inflateInit2(&zlib, MAX_WBITS + GZIP) != Z_OK)
        return error_set(error, ENOMEM, "out of memory");
    while (!result && input->length) {
        result = inflate_input(&zlib, bytes, input, limit, &ended, error);
        if (!result)
            result = next_input(input, error);
    }
    inflateEnd(&zlib);
    if (!result && !ended)
        result = error_set(error, EBADMSG, "is damaged: its end is missing");
    return result;
}

int gunzip_read(struct buffer *bytes, int fd, size_t limit, struct error *error)
{
    struct input input = {.fd = fd};
    bytes->length = 0;
    int result = next_input(&input, error);
    if (result < 0)
        return result;
    return is_compressed(&input) ? unpack(bytes, &input, limit, error) : copy(bytes, &input, limit, error);
}
