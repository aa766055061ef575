/* SPDX-License-Identifier: MIT
 *
 * zlib's gzread() ignores what follows a member, and may not notice that the end is missing. So inflate() is used. */
#include "common/base/buffer.h"
#include "common/base/error.h"
#include "profile/stored/import.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum {
    CHUNK = 1 << 16,
    GZIP = 16, /* added to the window size: accept the header of gzip */
};

static int append(struct buffer *bytes, const void *more, size_t size, size_t limit)
{
    if (size > limit - bytes->length)
        return -E2BIG;
    return buffer_append(bytes, more, size) ? 0 : -ENOMEM;
}

static int read_all(struct buffer *bytes, int fd, size_t limit, struct error *error)
{
    char chunk[CHUNK];
    ssize_t got;
    int result = 0;
    while (!result && (got = read(fd, chunk, CHUNK))) {
        if (got > 0)
            result = append(bytes, chunk, (size_t)got, limit);
        else if (errno != EINTR)
            result = error_system(error, errno, "cannot be read");
    }
    return result;
}

/* Appends the content of PACKED, one gzip member or several, to BYTES. */
static int unpack(struct buffer *bytes, const struct buffer *packed, size_t limit, struct error *error)
{
    z_stream zlib = {.next_in = (z_const Bytef *)packed->bytes, .avail_in = (uInt)packed->length};
    int status = inflateInit2(&zlib, MAX_WBITS + GZIP), result = 0;
    unsigned char chunk[CHUNK];
    while (!result && status == Z_OK) {
        zlib.next_out = chunk;
        zlib.avail_out = CHUNK;
        status = inflate(&zlib, Z_NO_FLUSH);
        result = append(bytes, chunk, CHUNK - zlib.avail_out, limit);
        if (status == Z_STREAM_END && zlib.avail_in) /* another member follows */
            status = inflateReset(&zlib);
    }
    inflateEnd(&zlib);
    if (result || status == Z_STREAM_END)
        return result;
    if (status == Z_MEM_ERROR)
        return -ENOMEM;
    const char *why = zlib.msg ? zlib.msg : "it cannot be unpacked";
    return error_set(error, EBADMSG, "is damaged: %s", status == Z_BUF_ERROR ? "its end is missing" : why);
}

int gunzip_read(struct buffer *bytes, int fd, size_t limit, struct error *error)
{
    bytes->length = 0;
    int result = read_all(bytes, fd, limit + CHUNK + limit / 64, error); /* with gzip's overhead */
    if (!result && bytes->length >= 2 && !memcmp(bytes->bytes, "\x1f\x8b", 2)) {
        struct buffer packed = *bytes;
        *bytes = (struct buffer){0};
        result = unpack(bytes, &packed, limit, error);
        buffer_fini(&packed);
    }
    if (result == -E2BIG || (!result && bytes->length > limit))
        return error_set(error, E2BIG,
                         "is larger than %zu MiB when it is unpacked, and ptprofil reads no more than that",
                         limit >> 20);
    return result == -ENOMEM ? error_set(error, ENOMEM, "out of memory") : result;
}
