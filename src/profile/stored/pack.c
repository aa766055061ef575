/* SPDX-License-Identifier: MIT */
#include "profile/stored/pack.h"

#include "common/base/buffer.h"
#include "common/text/text.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

enum {
    GZIP = 16, /* added to the window size: write the header of gzip, without time and name */
    MEMORY = 8,
    CHUNK = 1 << 16,
};

struct pack {
    z_stream zlib;
    FILE *stream;
    unsigned char chunk[CHUNK];
};

/* Uses zlib's fastest level, which still finds the repetitions in a profile. */
int pack_begin(struct pack **pack, FILE *stream)
{
    struct pack *begun = calloc(1, sizeof *begun);
    *pack = NULL;
    if (!begun)
        return -ENOMEM;
    if (deflateInit2(&begun->zlib, Z_BEST_SPEED, Z_DEFLATED, MAX_WBITS + GZIP, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK) {
        free(begun);
        return -ENOMEM;
    }
    begun->stream = stream;
    *pack = begun;
    return 0;
}

/* Compresses the input of zlib, and writes the result. */
static int deflate_all(struct pack *pack, int flush)
{
    int result;
    do {
        pack->zlib.next_out = pack->chunk;
        pack->zlib.avail_out = CHUNK;
        result = deflate(&pack->zlib, flush);
        size_t size = CHUNK - pack->zlib.avail_out;
        errno = 0;
        if (fwrite(pack->chunk, 1, size, pack->stream) != size)
            return errno ? -errno : -EIO;
    } while (result == Z_OK && !pack->zlib.avail_out);
    return 0;
}

int pack_write(struct pack *pack, struct buffer *bytes)
{
    const char *at = bytes->bytes;
    int result = bytes->failed ? -ENOMEM : 0;
    while (!result && bytes->length) {
        size_t size = bytes->length < CHUNK ? bytes->length : CHUNK;
        pack->zlib.next_in = (z_const Bytef *)at;
        pack->zlib.avail_in = (uInt)size;
        result = deflate_all(pack, Z_NO_FLUSH);
        at += size;
        bytes->length -= size;
    }
    bytes->length = 0;
    return result;
}

int pack_end(struct pack *pack)
{
    int result = deflate_all(pack, Z_FINISH);
    return result ? result : text_flush(pack->stream);
}

void pack_free(struct pack *pack)
{
    if (pack)
        deflateEnd(&pack->zlib);
    free(pack);
}

static int pack_all(FILE *stream, struct buffer *bytes)
{
    struct pack *pack;
    int result = pack_begin(&pack, stream);
    if (!result)
        result = pack_write(pack, bytes);
    if (!result)
        result = pack_end(pack);
    pack_free(pack);
    return result;
}

int pack_bytes(struct buffer *bytes, char **packed, size_t *size)
{
    *packed = NULL;
    FILE *stream = open_memstream(packed, size);
    int result = stream ? pack_all(stream, bytes) : -ENOMEM;
    if (stream && fclose(stream) != 0 && !result)
        result = -ENOMEM;
    if (result < 0) {
        free(*packed);
        *packed = NULL;
    }
    return result;
}
